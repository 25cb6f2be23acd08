/* Names that no object of a header may have. */
#include "commands/emit_c/emit_c.h"

#include <string.h>

/* clang-format off */

/* Keywords of C and C++, and those that a header may define as macros. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t"
    " char32_t char8_t class co_await co_return co_yield compl concept const const_cast"
    " consteval constexpr constinit continue decltype default delete do double"
    " dynamic_cast else enum explicit export extern false float for friend goto if inline"
    " int long mutable namespace new noexcept noreturn not not_eq nullptr operator or"
    " or_eq private protected public register reinterpret_cast requires restrict return"
    " short signed sizeof static static_assert static_cast struct switch template this"
    " thread_local throw true try typedef typeid typename typeof typeof_unqual union"
    " unsigned using virtual void volatile wchar_t while xor xor_eq ";

/* Names of the standard libraries of C and C++, and macros that compilers predefine. */
static const char library[] =
    " BUFSIZ CLOCKS_PER_SEC EDOM EILSEQ EOF ERANGE FILE FILENAME_MAX HUGE_VAL HUGE_VALF"
    " HUGE_VALL I INFINITY L_tmpnam NAN NULL WEOF abort abs aligned_alloc asctime assert"
    " at_quick_exit atexit atof atoi atol atoll bsearch btowc call_once calloc clearerr"
    " clock clock_t cnd_t complex ctime difftime div div_t double_t errno exit fclose"
    " feclearexcept fegetenv fegetexceptflag fegetround feholdexcept fenv_t feof"
    " feraiseexcept ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv"
    " fexcept_t fflush fgetc fgetpos fgets fgetwc fgetws float_t fopen fpclassify fpos_t"
    " fprintf fputc fputs fputwc fputws fread free freopen fscanf fseek fsetpos ftell"
    " fwide fwprintf fwrite fwscanf getc getchar getenv gets getwc getwchar gmtime i386"
    " imaginary imaxabs imaxdiv imaxdiv_t isalnum isalpha isblank iscntrl isdigit isfinite"
    " isgraph isgreater isgreaterequal isinf isless islessequal islessgreater islower"
    " isnan isnormal isprint ispunct isspace isunordered isupper iswalnum iswalpha"
    " iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace"
    " iswupper iswxdigit isxdigit jmp_buf labs lconv ldiv ldiv_t linux llabs lldiv lldiv_t"
    " localeconv localtime longjmp main malloc math_errhandling max_align_t mblen mbrlen"
    " mbrtowc mbsinit mbsrtowcs mbstate_t mbstowcs mbtowc memchr memcmp memcpy memmove"
    " memset mktime mtx_t nullptr_t offsetof perror printf ptrdiff_t putc putchar puts"
    " putwc putwchar qsort quick_exit raise rand realloc remove rename rewind scanf setbuf"
    " setjmp setlocale setvbuf sig_atomic_t signal signbit size_t snprintf sprintf srand"
    " sscanf std stderr stdin stdout strcat strchr strcmp strcoll strcpy strcspn strerror"
    " strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof"
    " strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax strxfrm swprintf"
    " swscanf system thrd_t time time_t timespec timespec_get tm tmpfile tmpnam tolower"
    " toupper towctrans towlower towupper ungetc ungetwc unix va_arg va_copy va_end"
    " va_list va_start vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf"
    " vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wcrtomb wcscat wcschr wcscmp"
    " wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr"
    " wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll"
    " wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb wctrans wctrans_t wctype"
    " wctype_t wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf wscanf ";

/* Functions of the same that have variants for float and long double, with f and l at the end. */
static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan"
    " catanh cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow cproj creal"
    " csin csinh csqrt ctan ctanh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin"
    " fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint"
    " lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round"
    " scalbln scalbn sin sinh sqrt tan tanh tgamma trunc ";

/* Macros and types of numbers of the same. */
static const char *const patterns[] = {
    "INT*_MAX", "INT*_MIN", "INT*_C", "UINT*_MAX", "UINT*_C", "PRI?*", "SCN?*", "SIG*",
    "SEEK_*", "LC_*", "FE_*", "FP_*", "FLT_*", "DBL_*", "LDBL_*", "CHAR_*", "SCHAR_M*",
    "UCHAR_M*", "SHRT_M*", "USHRT_M*", "LONG_M*", "ULONG_M*", "LLONG_M*", "ULLONG_M*",
    "SIZE_MAX", "PTRDIFF_M*", "WCHAR_M*", "WINT_M*", "MB_*", "RAND_MAX", "EXIT_*",
    "TMP_MAX", "FOPEN_MAX", "int*_t", "uint*_t", "gsp_*", "gspi_*", "GSP_*", "GSPI_*",
    "GRAPHSPLIT_*"};

/* clang-format on */

/* A list has blanks around each word. */
static int is_in(const char *list, const char *name, size_t size)
{
    const char *at = list;
    while ((at = strchr(at, ' ')) != NULL && at[1] != '\0') {
        at++;
        if (strncmp(at, name, size) == 0 && at[size] == ' ') {
            return 1;
        }
    }
    return 0;
}

int emit_c_is_identifier(const char *name)
{
    size_t i;
    for (i = 0; name[i] != '\0'; i++) {
        int const letter = (name[i] >= 'a' && name[i] <= 'z') ||
                           (name[i] >= 'A' && name[i] <= 'Z') || name[i] == '_';
        if (!letter && !(i > 0 && name[i] >= '0' && name[i] <= '9')) {
            return 0;
        }
    }
    return i > 0;
}

const char *emit_c_reserved(const char *name)
{
    size_t const size = strlen(name);
    int const variant = size > 1u && (name[size - 1u] == 'f' || name[size - 1u] == 'l');
    size_t i;
    if (is_in(keywords, name, size) ||
        (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))) {
        return "is a reserved word of C or C++";
    }
    for (i = 0; i < CLI_COUNT(patterns); i++) {
        if (gsp_str_glob(gsp_str_of(patterns[i]), gsp_str_of(name))) {
            return patterns[i][0] == 'g' || patterns[i][0] == 'G'
                       ? "has the prefix of this library"
                       : "is a name of the standard library of C";
        }
    }
    return is_in(library, name, size) || is_in(mathematics, name, size) ||
                   (variant && is_in(mathematics, name, size - 1u))
               ? "is a name of the standard library of C or C++"
               : NULL;
}

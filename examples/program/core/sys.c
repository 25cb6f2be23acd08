/* What differs between systems: terminals, clocks, directories. */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif

#include "core/core.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAS_POSIX /* else Windows, or files and little more: WASI, semihosting */
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#endif

#ifdef __linux__
#include <sys/file.h>
#endif

#include <stdlib.h>

#ifdef _WIN32
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <sys/stat.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#endif

int cli_is_terminal(int number)
{
#ifdef _WIN32
    return _isatty(number) != 0;
#else
    return isatty(number) != 0;
#endif
}

size_t cli_columns(void)
{
#if defined(HAS_POSIX) && defined(TIOCGWINSZ)
    struct winsize size;
    if (ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
        return size.ws_col;
    }
#endif
    return 80;
}

uint64_t cli_now(void)
{
#if !defined(_WIN32) && defined(CLOCK_MONOTONIC)
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
#endif
    return (uint64_t)clock() * (1000000000u / (uint64_t)CLOCKS_PER_SEC);
}

void cli_date(char *text)
{
    time_t seconds = time(NULL);
    const struct tm *utc = gmtime(&seconds);
    text[0] = '\0';
    if (utc != NULL) {
        (void)strftime(text, CLI_DATE_SIZE, "%Y-%m-%dT%H:%M:%S+00:00", utc);
    }
}

uint32_t cli_machine(char *model)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    uint32_t count = 0;
    (void)snprintf(model, CLI_MACHINE_SIZE, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        count += strncmp(line, "processor", 9) == 0;
        if (value != NULL && value[1] == ' ' && strncmp(line, "model name", 10) == 0) {
            (void)snprintf(
                model, CLI_MACHINE_SIZE, "%.*s", (int)strcspn(value + 2, "\n\"\\"), value + 2);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return count;
}

/* 1 for something that is certainly no directory; errno stays. */
static int is_file(const char *path)
{
#ifdef HAS_POSIX
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
#else
    (void)path;
    return 0;
#endif
}

int cli_make_dir(const char *path)
{
#ifdef _WIN32
    int failed = _mkdir(path);
#else
    int failed = mkdir(path, 0777);
#endif
    if (!failed) {
        return 1;
    }
    return errno == EEXIST && !is_file(path) ? 0 : -1;
}

void cli_remove_dir(const char *path)
{
#ifdef _WIN32
    _rmdir(path);
#else
    (void)rmdir(path);
#endif
}

void cli_remove_file(const char *path)
{
#ifdef HAS_POSIX
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return;
    }
#endif
    (void)remove(path);
}

#if defined(_WIN32) || defined(HAS_POSIX)
/* DIR/NAME, if it is not too long. */
static void remove_in(const char *dir, const char *name)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (size > 0 && (size_t)size < sizeof path) {
        cli_remove_file(path);
    }
}
#endif

void cli_remove_all(const char *path)
{
#ifdef _WIN32
    char pattern[_MAX_PATH];
    struct _finddata_t found;
    intptr_t list;
    (void)snprintf(pattern, sizeof pattern, "%s/*", path);
    list = _findfirst(pattern, &found);
    if (list != -1) {
        do {
            remove_in(path, found.name);
        } while (_findnext(list, &found) == 0);
        _findclose(list);
    }
#elif defined(HAS_POSIX)
    struct stat about;
    DIR *list = lstat(path, &about) == 0 && S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    const struct dirent *entry;
    while (list != NULL && (entry = readdir(list)) != NULL) {
        remove_in(path, entry->d_name);
    }
    if (list != NULL) {
        (void)closedir(list);
    }
#endif
    cli_remove_dir(path);
}

int cli_create(const char *path)
{
#ifdef HAS_POSIX
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0666);
#elif defined(_WIN32)
    int file = _open(path, _O_CREAT | _O_EXCL | _O_WRONLY, _S_IREAD | _S_IWRITE);
#else
    FILE *old = fopen(path, "rb");
    FILE *made = old == NULL ? fopen(path, "wb") : NULL;
#endif
#if defined(HAS_POSIX) || defined(_WIN32)
    if (file < 0) {
        return errno == EEXIST ? 0 : -1;
    }
#ifdef _WIN32
    _close(file);
#else
    (void)close(file);
#endif
    return 1;
#else
    if (old != NULL) {
        (void)fclose(old);
        return 0;
    }
    return made != NULL && fclose(made) == 0 ? 1 : -1;
#endif
}

int cli_rename(const char *from, const char *to)
{
#ifdef _WIN32 /* its rename() replaces nothing */
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING)) {
        return 0;
    }
    errno = EACCES;
    return -1;
#else
    return rename(from, to);
#endif
}

#ifdef HAS_POSIX
static int sync_number(int number)
{
    return number >= 0 && fsync(number) == 0                       ? 0
           : errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0
                                                                   : errno;
}
#endif

int cli_sync(FILE *file)
{
#ifdef HAS_POSIX
    return sync_number(fileno(file));
#else
    (void)file;
    return 0;
#endif
}

int cli_sync_path(const char *path)
{
    int failed = 0;
#ifdef HAS_POSIX
    int const number = open(path, O_RDONLY);
    failed = sync_number(number);
    if (number >= 0) {
        (void)close(number);
    }
#else
    (void)path;
#endif
    return failed;
}

static int copy_stream(FILE *from, FILE *to)
{
    char block[16384];
    size_t size = fread(block, 1u, sizeof block, from);
    while (size != 0 && fwrite(block, 1u, size, to) == size) {
        size = fread(block, 1u, sizeof block, from);
    }
    return size == 0 && !ferror(from) ? 0 : -1;
}

int cli_copy_file(const char *from, const char *to)
{
    FILE *old;
    FILE *made;
    int failed;
#ifdef HAS_POSIX
    if (link(from, to) == 0) {
        return 0;
    }
#endif
    old = fopen(from, "rb");
    made = old != NULL ? fopen(to, "wb") : NULL;
    failed = made == NULL || copy_stream(old, made) != 0;
    failed |= made != NULL && fclose(made) != 0;
    if (old != NULL) {
        (void)fclose(old);
    }
    return failed ? -1 : 0;
}

int cli_is_replaceable(const char *path)
{
#ifdef _WIN32
    struct _stat about;
    return _stat(path, &about) != 0 || ((about.st_mode & _S_IFREG) != 0 && _access(path, 2) == 0);
#elif defined(HAS_POSIX)
    struct stat about;
    return stat(path, &about) != 0 ? errno == ENOENT
                                   : S_ISREG(about.st_mode) && access(path, W_OK) == 0;
#else
    (void)path;
    return 1;
#endif
}

#ifdef HAS_POSIX
/* The target of a link, relative to the same directory as the link; NULL if it is no link. */
static char *linked(const char *path)
{
    char text[4096];
    const char *slash = strrchr(path, '/');
    ssize_t const size = readlink(path, text, sizeof text);
    size_t const dir =
        size > 0 && text[0] != '/' && slash != NULL ? (size_t)(slash - path) + 1u : 0;
    char *made =
        size > 0 && (size_t)size < sizeof text ? (char *)malloc(dir + (size_t)size + 1u) : NULL;
    if (made != NULL) {
        memcpy(made, path, dir);
        memcpy(made + dir, text, (size_t)size);
        made[dir + (size_t)size] = '\0';
    }
    return made;
}
#endif

char *cli_real_path(const char *path)
{
#ifdef _WIN32
    return _fullpath(NULL, path, 0);
#elif defined(HAS_POSIX)
    char *real = realpath(path, NULL);
    char *name = NULL;
    while (real == NULL && errno == ENOENT) {
        char *next = linked(name != NULL ? name : path);
        if (next == NULL) {
            return name;
        }
        free(name);
        name = next;
        real = realpath(name, NULL);
    }
    free(name);
    return real;
#else
    char *copy = (char *)malloc(strlen(path) + 1u);
    return copy != NULL ? strcpy(copy, path) : NULL;
#endif
}

int cli_take_over(const char *path, const char *old)
{
#ifdef HAS_POSIX
    struct stat about;
    return stat(old, &about) != 0 ? 0 : chmod(path, about.st_mode & 0777u);
#else
    (void)path;
    (void)old;
    return 0;
#endif
}

void cli_lock_dir(const char *path)
{
#ifdef __linux__
    int file = open(path, O_RDONLY);
    if (file >= 0) {
        (void)flock(file, LOCK_EX); /* not all file systems can: then runs are not kept apart */
    }
#else
    (void)path;
#endif
}

int cli_is_same_file(const char *a, const char *b)
{
#ifdef _WIN32
    char whole_a[_MAX_PATH];
    char whole_b[_MAX_PATH];
    return _fullpath(whole_a, a, sizeof whole_a) != NULL &&
           _fullpath(whole_b, b, sizeof whole_b) != NULL && _stricmp(whole_a, whole_b) == 0;
#else
    struct stat of_a;
    struct stat of_b;
    return stat(b, &of_b) == 0 && stat(a, &of_a) == 0 && S_ISREG(of_b.st_mode) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
#endif
}

#ifdef HAS_POSIX
static const char *map(int file, size_t least, size_t *size)
{
    struct stat about;
    void *data = MAP_FAILED;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        (uint64_t)about.st_size >= least && (uint64_t)about.st_size <= SIZE_MAX) {
        *size = (size_t)about.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    return data == MAP_FAILED ? NULL : (const char *)data;
}
#endif

const char *cli_map(const char *path, size_t least, size_t *size)
{
    const char *data = NULL;
#ifdef HAS_POSIX
    int file = open(path, O_RDONLY);
    if (file >= 0) {
        data = map(file, least, size);
        (void)close(file);
    }
#else
    (void)path;
    (void)least;
    (void)size;
#endif
    return data;
}

/* Text mode would change bytes. */
void cli_streams_init(void)
{
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
#ifdef HAS_POSIX
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
}

/* ---- the interrupt of a search ---- */

/* As signal(), which in C99 may restore the default before it calls the handler. */
static void (*on_signal(int number, void (*handler)(int)))(int)
{
#ifdef HAS_POSIX
    struct sigaction now, before;
    memset(&now, 0, sizeof now);
    now.sa_handler = handler;
    now.sa_flags = SA_RESTART;
    return sigaction(number, &now, &before) == 0 ? before.sa_handler : SIG_DFL;
#else
    return signal(number, handler);
#endif
}

static volatile sig_atomic_t asked_to_end;

/* The third interrupt ends the program at once: `timeout` sends two, one to its group. */
static void ask(int number)
{
    asked_to_end++;
    (void)on_signal(number, asked_to_end < 2 ? ask : SIG_DFL);
}

void cli_search_begin(void)
{
    asked_to_end = 0;
    if (on_signal(SIGINT, ask) == SIG_IGN) { /* as under nohup */
        (void)on_signal(SIGINT, SIG_IGN);
    }
}

int cli_search_interrupted(void)
{
    return asked_to_end != 0;
}

void cli_search_end(void)
{
    if (asked_to_end == 0 && on_signal(SIGINT, SIG_DFL) == SIG_IGN) {
        (void)on_signal(SIGINT, SIG_IGN);
    }
}

/* ---- signals while files are written ---- */

#ifdef HAS_POSIX

#define N_HELD (sizeof held_signals / sizeof *held_signals)

static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP};
static void (*held_before[N_HELD])(int);
static volatile sig_atomic_t held;       /* 1 while signals wait */
static volatile sig_atomic_t committed;  /* 1 if what was written stays */
static volatile sig_atomic_t stopped_by; /* the first signal that came, or 0 */

static void note(int number)
{
    stopped_by = stopped_by != 0 ? stopped_by : number;
}

int cli_hold(void)
{
    size_t i;
    if (held) {
        return 0;
    }
    committed = 0;
    for (i = 0; i < N_HELD; i++) {
        held_before[i] = on_signal(held_signals[i], note);
        if (held_before[i] == SIG_IGN) { /* as under nohup */
            (void)on_signal(held_signals[i], SIG_IGN);
        }
    }
    held = 1;
    return 1;
}

int cli_is_stopped(void)
{
    return stopped_by != 0 && !committed;
}

void cli_hold_commit(void)
{
    committed = 1;
}

void cli_hold_end(void)
{
    size_t i;
    for (i = 0; i < N_HELD && held; i++) {
        (void)on_signal(held_signals[i], held_before[i]);
    }
    held = 0;
}

void cli_stop(void)
{
    if (stopped_by != 0) {
        (void)on_signal(stopped_by, SIG_DFL);
        (void)raise(stopped_by);
    }
}

#else

int cli_hold(void)
{
    return 0;
}

int cli_is_stopped(void)
{
    return 0;
}

void cli_hold_commit(void)
{
}

void cli_hold_end(void)
{
}

void cli_stop(void)
{
}

#endif

/* ---- commands of the user ---- */

int cli_make_temp(char path[CLI_TEMP_SIZE])
{
#ifdef HAS_POSIX
    const char *dir = getenv("TMPDIR");
    int const size = snprintf(
        path, CLI_TEMP_SIZE, "%s/graphsplit.000000", dir != NULL && dir[0] != '\0' ? dir : "/tmp");
    if (size < 0 || size >= CLI_TEMP_SIZE) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(path + size - 6, 'X', 6u); /* what mkdtemp() replaces */
    return mkdtemp(path) != NULL ? 0 : -1;
#elif defined(_WIN32)
    const char *dir = getenv("TEMP");
    int const size = snprintf(path, CLI_TEMP_SIZE, "%s/graphsplit.%lu", dir != NULL ? dir : ".",
        (unsigned long)GetCurrentProcessId());
    return size > 0 && size < CLI_TEMP_SIZE ? _mkdir(path) : -1;
#else
    path[0] = '\0';
    errno = ENOSYS;
    return -1;
#endif
}

#ifdef HAS_POSIX

/* The process of the command: the first of a group, so that all of it can be ended. */
static void become(const char *command, const char *log)
{
    int const in = open("/dev/null", O_RDONLY);
    int const out = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    size_t i;
    (void)setpgid(0, 0);
    for (i = 0; i < N_HELD; i++) {
        (void)on_signal(held_signals[i], SIG_DFL);
    }
    if (in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

int cli_shell_start(cli_process *child, const char *command, const char *log)
{
    pid_t process;
    (void)fflush(NULL);
    process = fork();
    if (process == 0) {
        become(command, log);
    }
    child->process = (long)process;
    child->begun = cli_now();
    if (process > 0) {
        (void)setpgid(process, process); /* whoever is first */
    }
    return process > 0;
}

void cli_shell_kill(cli_process *child)
{
    (void)kill(-(pid_t)child->process, SIGKILL);
    (void)waitpid((pid_t)child->process, &child->status, 0);
}

int cli_shell_ended(cli_process *child, uint64_t seconds, cli_shell_end *end)
{
    int const is_done = waitpid((pid_t)child->process, &child->status, WNOHANG) != 0;
    int const is_late = seconds != 0 && (cli_now() - child->begun) / 1000000000u >= seconds;
    *end = CLI_SHELL_ENDED;
    if (is_done) {
        (void)kill(-(pid_t)child->process, SIGKILL); /* what it has left running */
        child->status =
            WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 128 + WTERMSIG(child->status);
        return 1;
    }
    if (!is_late && stopped_by == 0 && asked_to_end == 0) {
        return 0;
    }
    cli_shell_kill(child);
    *end = is_late ? CLI_SHELL_LATE : CLI_SHELL_STOPPED;
    return 1;
}

void cli_shell_pause(uint32_t *microseconds)
{
    struct timespec pause = {0, 0};
    *microseconds = *microseconds == 0        ? 1000u
                    : *microseconds >= 20000u ? *microseconds
                                              : *microseconds / 4u * 5u;
    pause.tv_nsec = (long)*microseconds * 1000;
    (void)nanosleep(&pause, NULL);
}

#elif defined(_WIN32)

static HANDLE open_inherited(const char *path, DWORD access, DWORD how)
{
    SECURITY_ATTRIBUTES inherited;
    memset(&inherited, 0, sizeof inherited);
    inherited.nLength = sizeof inherited;
    inherited.bInheritHandle = TRUE;
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, how,
        FILE_ATTRIBUTE_NORMAL, NULL);
}

int cli_shell_start(cli_process *child, const char *command, const char *log)
{
    static const char shell[] = "cmd.exe /s /c ";
    size_t const size = sizeof shell + strlen(command) + 2u;
    char *line = (char *)malloc(size);
    HANDLE const job = CreateJobObjectA(NULL, NULL);
    STARTUPINFOA start;
    PROCESS_INFORMATION made;
    int is_made;
    memset(&start, 0, sizeof start);
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = open_inherited("NUL", GENERIC_READ, OPEN_EXISTING);
    start.hStdOutput = start.hStdError = open_inherited(log, GENERIC_WRITE, CREATE_ALWAYS);
    is_made =
        line != NULL && snprintf(line, size, "%s\"%s\"", shell, command) > 0 &&
        CreateProcessA(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &start, &made);
    free(line);
    CloseHandle(start.hStdInput);
    CloseHandle(start.hStdOutput);
    child->begun = cli_now();
    if (!is_made) {
        CloseHandle(job);
        errno = ENOEXEC;
        return 0;
    }
    (void)AssignProcessToJobObject(job, made.hProcess);
    (void)ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    child->process = HandleToLong(made.hProcess);
    child->job = HandleToLong(job);
    return 1;
}

void cli_shell_kill(cli_process *child)
{
    (void)TerminateJobObject(LongToHandle(child->job), 1u);
    (void)WaitForSingleObject(LongToHandle(child->process), INFINITE);
    CloseHandle(LongToHandle(child->process));
    CloseHandle(LongToHandle(child->job));
}

int cli_shell_ended(cli_process *child, uint64_t seconds, cli_shell_end *end)
{
    HANDLE const process = LongToHandle(child->process);
    int const is_done = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    int const is_late = seconds != 0 && (cli_now() - child->begun) / 1000000000u >= seconds;
    DWORD status = 1;
    if (!is_done && !is_late && asked_to_end == 0) {
        return 0;
    }
    *end = is_done ? CLI_SHELL_ENDED : is_late ? CLI_SHELL_LATE : CLI_SHELL_STOPPED;
    (void)(is_done && GetExitCodeProcess(process, &status));
    child->status = (int)status;
    cli_shell_kill(child); /* also what it has left running */
    return 1;
}

void cli_shell_pause(uint32_t *microseconds)
{
    *microseconds = 5000u;
    Sleep(*microseconds / 1000u);
}

#else

int cli_shell_start(cli_process *child, const char *command, const char *log)
{
    (void)command;
    (void)log;
    child->begun = cli_now();
    child->status = 0;
    errno = ENOSYS;
    return 0;
}

int cli_shell_ended(cli_process *child, uint64_t seconds, cli_shell_end *end)
{
    (void)child;
    (void)seconds;
    *end = CLI_SHELL_ENDED;
    return 1;
}

void cli_shell_kill(cli_process *child)
{
    (void)child;
}

void cli_shell_pause(uint32_t *microseconds)
{
    (void)microseconds;
}

#endif

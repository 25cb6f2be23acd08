/* Every option of the program: the bytes choose a command, files and options from the tables that
 * the program reads, and values that fit or do not. The run ends with a documented status and
 * clean text, --json is a document of JSON, and the graph stays.
 *     sh tests/fuzz/run.sh 60 options
 */
#include "program.h"

/* ---- inputs ---- */

typedef struct input {
    const char *name;
    const char *text;
} input;

static const input inputs[] = {
    {"chain.fx",
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # i8[4]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # i8[4] "
        "compute=1 acc=1\n"
        "    %b : [num_users=1] = call_function[target=g](args = (%a, 1), kwargs = {})  # i8[8] "
        "compute=2 params=8\n"
        "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[s0, 2] "
        "compute=3 acc=1\n"
        "    return c\n"},
    {"wide.fx",
        "graph():\n"
        "    %x : [num_users=4] = placeholder[target=x]  # f32[8]\n"
        "    %w : [num_users=2] = get_attr[target=w]  # f32[8]\n"
        "    %a : [num_users=1] = call_module[target=m.0](args = (%x, %w), kwargs = {})  # f32[8] "
        "module=torch.nn.Linear group=1\n"
        "    %b : [num_users=1] = call_module[target=m.1](args = (%x, %w), kwargs = {})  # f32[8] "
        "module=torch.nn.Linear group=1\n"
        "    %c : [num_users=1] = call_method[target=add_](args = (%x, %a), kwargs = {})  # "
        "f32[8]\n"
        "    %d : [num_users=2] = call_function[target=size](args = (%x,), kwargs = {k: 2})  # "
        "int\n"
        "    %e : [num_users=1] = call_function[target=f](args = (%c, %b, %d), kwargs = {})  # "
        "f32[16]\n"
        "    return (e, d)\n"},
    {"module.fx",
        "module main\ngraph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %p : [num_users=1] = call_module[target=part](args = (%x,), kwargs = {})  # f32[4]\n"
        "    %q : [num_users=1] = call_function[target=pipe_split](args = (), kwargs = {})\n"
        "    %r : [num_users=1] = call_module[target=part](args = (%p,), kwargs = {})  # f32[4]\n"
        "    return r\n"
        "module part\ngraph():\n"
        "    %y : [num_users=1] = placeholder[target=y]  # f32[4]\n"
        "    %z : [num_users=1] = call_function[target=f](args = (%y,), kwargs = {})  # f32[4]\n"
        "    return z\n"},
    {"empty.fx", "graph():\n    return 0\n"},
    {"t.csv",
        "id,lower,upper,size,alignment,offset\na,0,3,4,1,\nb,1,4,8,4,\nc,2,6,16,,0\nd,5,9,4,,\n"},
    {"net.graph", "4 3\n2\n1 3\n2 4\n3\n"},
    {"net.dot", "digraph { a -> b -> c; a -> c [weight=3]; }\n"},
    {"piper.json",
        "{\"maxDevices\":2,\"maxMemoryPerDevice\":64,\"mbsInBatch\":2,\"bandwidth\":8,\"nodes\":["
        "{\"id\":0,\"TMPCs\":{\"1\":[{\"timePerSample\":1,\"parameterSize\":2,\"memoryUsageA\":3,"
        "\"memoryUsageB\":4}]}},{\"id\":1,\"TMPCs\":{\"1\":[{\"timePerSample\":2,\"parameterSize\":"
        "2,\"memoryUsageA\":3,\"memoryUsageB\":4}]}}],\"edges\":[{\"sourceId\":0,\"destId\":1,"
        "\"communicationCost\":8}]}\n"},
    {"a.plan", "plan 1\n[front] cpu\na\nb\n[back] acc\nc\n"},
    {"parts.txt", "0\n0\n1\n"},
    {"f.ops", "f\ng: i8\ntorch.nn.*\n"},
    {"times.txt", "a 0.5\nb 1.5\nc 2\n"},
};

/* Values of every kind that options take; numbers first. */
enum { NUMBERS = 12 };
static const char *const values[] = {"0", "1", "2", "3", "4", "8", "64", "300", "1000", "64KiB",
    "1.5M", "1e9", "18446744073709551615", "-1", "", "x", "a", "b", "c", "a,b", "*", "f", "g",
    "main", "part", "1:f:a,b", "f,g", "@f.ops", "@a.plan", "@times.txt", "@parts.txt", "cpu:name:a",
    "acc:op:f", "acc:name:*", "a:64", "b:1K", "a:64:2", "b:1M:4:16:ro", "a:name:a", "a:size:8",
    "npu=f", "npu", "npu=@f.ops", "a=beginning", "b=end", "0=cuda:1", "1=cpu", "replicate",
    "a=transmit", "s0=2", "x:f32[4]", ":i8[4]", "i8[8]", "qdq", "a -> b", "f -> g", "1:2:3", "0.1",
    "0.5,2", "best", "optimal", "1f1b", "interleaved", "name", "(True, False)", "True", "chain.fx",
    "wide.fx", "module.fx", "t.csv", "a.plan", "parts.txt", "f.ops", "times.txt", "out", "out.svg",
    "out.csv", "out.fx", "out.json", "out.plan", "none.fx", "\x1b[1m", "\xff"};

/* ---- a command line ---- */

typedef struct choice {
    const uint8_t *data;
    size_t size;
    char words[4096];
    size_t used;
    char *argv[FUZZ_ARGS];
    int argc;
    const char *graph; /* the first file; or NULL */
} choice;

static uint32_t take_byte(choice *c)
{
    uint32_t const byte = c->size != 0 ? *c->data : 0u;
    c->data += c->size != 0;
    c->size -= c->size != 0;
    return byte;
}

static void push_word(choice *c, const char *text, size_t size)
{
    REQUIRE(c->used + size < sizeof c->words && c->argc < FUZZ_ARGS);
    c->argv[c->argc++] = c->words + c->used;
    memcpy(c->words + c->used, text, size);
    c->used += size;
    c->words[c->used++] = '\0';
}

/* A number now and then is none. */
static const char *any_value(choice *c, const cli_option *option)
{
    uint32_t const byte = take_byte(c);
    int const is_number = option->kind == CLI_NUMBER || option->kind == CLI_BYTES;
    return values[byte % (is_number && byte < 240u ? (size_t)NUMBERS : CLI_COUNT(values))];
}

/* One of the words in "auto|always|never". */
static void push_choice(choice *c, const char *words)
{
    uint32_t skip = take_byte(c) % 8u;
    while (skip-- > 0 && strchr(words, '|') != NULL) {
        words = strchr(words, '|') + 1;
    }
    push_word(c, words, strcspn(words, "|"));
}

static void push_option(choice *c, const cli_option *option)
{
    const char *value;
    char joined[256];
    if (option->kind == CLI_MAYBE) {
        value = any_value(c, option);
        (void)snprintf(
            joined, sizeof joined, value[0] != '\0' ? "%s=%s" : "%s", option->name, value);
        push_word(c, joined, strlen(joined));
        return;
    }
    push_word(c, option->name, strlen(option->name));
    if (option->kind == CLI_CHOICE) {
        push_choice(c, option->value);
    } else if (option->kind != CLI_FLAG) {
        value = any_value(c, option);
        push_word(c, value, strlen(value));
    }
}

/* The pass, options until a byte says that files follow, and up to three files. */
static void choose(choice *c)
{
    const cli_pass *pass = passes[take_byte(c) % CLI_COUNT(passes)];
    size_t const n = pass->n_options + CLI_COUNT(common_options);
    uint32_t files;
    push_word(c, "graphsplit", 10u);
    push_word(c, pass->name, strlen(pass->name));
    files = take_byte(c);
    for (uint32_t i = 0; i < 12u && c->size != 0; i++) {
        size_t const at = take_byte(c) % n;
        push_option(
            c, at < pass->n_options ? &pass->options[at] : &common_options[at - pass->n_options]);
    }
    for (; files != 0; files /= CLI_COUNT(inputs) + 1u) {
        if (files % (CLI_COUNT(inputs) + 1u) != 0) {
            const char *name = inputs[files % (CLI_COUNT(inputs) + 1u) - 1u].name;
            push_word(c, name, strlen(name));
            c->graph = c->graph != NULL ? c->graph : name;
        }
    }
}

/* ---- JSON ---- */

/* The end of a string, number or word; or NULL. */
static const char *scalar_end(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    char *end;
    if (*at == '"') {
        for (at++; *at != '"'; at++) {
            REQUIRE((unsigned char)*at >= 0x20u);
            at += *at == '\\';
        }
        return at + 1;
    }
    for (size_t i = 0; i < CLI_COUNT(words); i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            return at + strlen(words[i]);
        }
    }
    if (*at != '-' && (*at < '0' || *at > '9')) {
        return NULL;
    }
    (void)strtod(at, &end);
    return end;
}

/* One document: values between commas, keys before colons, brackets in pairs. */
static void check_json(const char *at)
{
    enum { DEEPEST = 64 };
    char open[DEEPEST];
    size_t depth = 0;
    int wants = 1; /* a value or key */
    for (at += strspn(at, " \n"); *at != '\0'; at += strspn(at, " \n")) {
        char const within = depth != 0 ? open[depth - 1u] : '\0';
        if (*at == ',' || *at == ':') {
            REQUIRE(!wants && depth != 0 && (*at == ',' || within == '{'));
            wants = 1;
            at++;
        } else if (*at == '}' || *at == ']') {
            REQUIRE(depth != 0 && within == (*at == '}' ? '{' : '['));
            REQUIRE(!wants || at[-1] == within || at[-1] == ' ' || at[-1] == '\n');
            wants = 0;
            depth--;
            at++;
        } else if (*at == '{' || *at == '[') {
            REQUIRE(wants && depth < DEEPEST);
            open[depth++] = *at++;
        } else {
            REQUIRE(wants && scalar_end(at) != NULL);
            at = scalar_end(at);
            wants = 0;
        }
    }
    REQUIRE(depth == 0);
}

static int asks(const choice *c, const char *word)
{
    int i = 0;
    while (i < c->argc && strcmp(c->argv[i], word) != 0) {
        i++;
    }
    return i < c->argc;
}

/* Some option wrote another file, maybe, but no option writes over what the pass reads first. */
static void restore(const char *kept)
{
    for (size_t i = 0; i < CLI_COUNT(inputs); i++) {
        size_t const length = strlen(inputs[i].text);
        if (!fuzz_holds(inputs[i].name, inputs[i].text, length)) {
            REQUIRE(inputs[i].name != kept);
            fuzz_write(inputs[i].name, inputs[i].text, length);
        }
    }
}

/* What the run wrote, under a word of the command line or behind its "=". */
static void clear(const choice *c)
{
    for (int i = 1; i < c->argc; i++) {
        const char *equals = strchr(c->argv[i], '=');
        cli_remove_all(c->argv[i]);
        cli_remove_file(c->argv[i]);
        if (equals != NULL) {
            cli_remove_all(equals + 1);
            cli_remove_file(equals + 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choice c;
    const fuzz_printed *p;
    c.data = data;
    c.size = size;
    c.used = 0;
    c.argc = 0;
    c.graph = NULL;
    restore(NULL);
    choose(&c);
    p = fuzz_program(c.argc, c.argv);
    restore(c.graph);
    if (asks(&c, "--json") && !asks(&c, "--help") && p->out_size != 0) {
        check_json(p->out);
    }
    clear(&c);
    return 0;
}

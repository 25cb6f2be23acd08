/* A file in a .zip archive, as NumPy writes them (.npz): stored or deflated (RFC 1951). */
#include "core/core.h"

#include <string.h>

#define MOST_BITS 15u /* of a code */
#define LITERALS  288u
#define DISTANCES 32u
#define END_SIZE  22u /* of the record at the end of an archive */

/* ---- deflate ---- */

typedef struct stream {
    const unsigned char *in; /* [n_in] */
    size_t n_in;
    size_t at;
    unsigned char *out; /* [n_out] */
    size_t n_out;
    size_t to;
    uint32_t bits; /* read, but not taken yet */
    uint32_t n_bits;
    int failed;
} stream;

/* A canonical Huffman code: how many codes have each length, and their symbols in order. */
typedef struct huffman {
    uint16_t count[MOST_BITS + 1u];
    uint16_t symbol[LITERALS];
} huffman;

static uint32_t take_bits(stream *s, uint32_t n)
{
    uint32_t value;
    while (s->n_bits < n) {
        if (s->at == s->n_in) {
            s->failed = 1;
            return 0;
        }
        s->bits |= (uint32_t)s->in[s->at++] << s->n_bits;
        s->n_bits += 8u;
    }
    value = s->bits & ((1u << n) - 1u);
    s->bits >>= n;
    s->n_bits -= n;
    return value;
}

static void put_byte(stream *s, uint32_t byte)
{
    if (s->to == s->n_out) {
        s->failed = 1;
    } else {
        s->out[s->to++] = (unsigned char)byte;
    }
}

/* Returns 0 if more codes have these lengths than there are. */
static int make_code(huffman *c, const uint8_t *lengths, uint32_t n)
{
    uint16_t next[MOST_BITS + 2u] = {0};
    uint32_t room = 1;
    uint32_t i;
    memset(c->count, 0, sizeof c->count);
    for (i = 0; i < n; i++) {
        c->count[lengths[i]]++;
    }
    c->count[0] = 0;
    for (i = 1; i <= MOST_BITS; i++) {
        room *= 2u;
        if (room < c->count[i]) {
            return 0;
        }
        room -= c->count[i];
        next[i + 1u] = (uint16_t)(next[i] + c->count[i]);
    }
    for (i = 0; i < n; i++) {
        if (lengths[i] != 0) {
            c->symbol[next[lengths[i]]++] = (uint16_t)i;
        }
    }
    return 1;
}

static uint32_t take_symbol(stream *s, const huffman *c)
{
    uint32_t bits = 0;
    uint32_t first = 0; /* the code of this length that comes first, and its place */
    uint32_t place = 0;
    uint32_t length;
    for (length = 1; length <= MOST_BITS && !s->failed; length++) {
        uint32_t const n = c->count[length];
        bits |= take_bits(s, 1);
        if (bits < first + n) {
            return c->symbol[place + bits - first];
        }
        place += n;
        first = (first + n) * 2u;
        bits *= 2u;
    }
    s->failed = 1;
    return 0;
}

/* The number of a length or distance: of each `per` symbols, one more bit stands behind them. */
static uint32_t take_number(stream *s, uint32_t symbol, uint32_t per, uint32_t least)
{
    uint32_t const extra = symbol < 2u * per ? 0u : symbol / per - 1u;
    uint32_t const base = symbol < 2u * per ? symbol : (per + symbol % per) << extra;
    return least + base + take_bits(s, extra);
}

static void copy_bytes(stream *s, uint32_t length, uint32_t distance)
{
    if (distance > s->to || length > s->n_out - s->to) {
        s->failed = 1;
        return;
    }
    for (; length > 0; length--, s->to++) {
        s->out[s->to] = s->out[s->to - distance];
    }
}

static void inflate_codes(stream *s, const huffman *literals, const huffman *distances)
{
    uint32_t symbol = take_symbol(s, literals);
    while (symbol != 256u && !s->failed) {
        if (symbol < 256u) {
            put_byte(s, symbol);
        } else if (symbol > 285u) {
            s->failed = 1;
        } else {
            uint32_t const length = symbol == 285u ? 258u : take_number(s, symbol - 257u, 4u, 3u);
            uint32_t const distance = take_symbol(s, distances);
            if (distance > 29u) {
                s->failed = 1;
            } else {
                copy_bytes(s, length, take_number(s, distance, 2u, 1u));
            }
        }
        symbol = s->failed ? 256u : take_symbol(s, literals);
    }
}

static void inflate_stored(stream *s)
{
    uint32_t n;
    s->bits = s->n_bits = 0;
    n = take_bits(s, 16);
    if (take_bits(s, 16) != (n ^ 0xFFFFu) || n > s->n_in - s->at || n > s->n_out - s->to) {
        s->failed = 1;
        return;
    }
    memcpy(s->out + s->to, s->in + s->at, n);
    s->to += n;
    s->at += n;
}

/* The lengths of both codes of a block, which are coded themselves. */
static void take_lengths(stream *s, const huffman *c, uint8_t *lengths, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && !s->failed) {
        uint32_t const symbol = take_symbol(s, c);
        uint32_t const repeated = symbol == 16u && i > 0 ? lengths[i - 1u] : 0u;
        uint32_t count = symbol < 16u    ? 1u
                         : symbol == 16u ? 3u + take_bits(s, 2)
                         : symbol == 17u ? 3u + take_bits(s, 3)
                                         : 11u + take_bits(s, 7);
        if (count > n - i || (symbol == 16u && i == 0)) {
            s->failed = 1;
            return;
        }
        for (; count > 0; count--) {
            lengths[i++] = (uint8_t)(symbol < 16u ? symbol : repeated);
        }
    }
}

static void inflate_dynamic(stream *s, huffman *literals, huffman *distances)
{
    static const uint8_t order[] = {
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    uint32_t const n_literals = 257u + take_bits(s, 5);
    uint32_t const n_distances = 1u + take_bits(s, 5);
    uint32_t const n = 4u + take_bits(s, 4);
    uint32_t i;
    for (i = 0; i < n; i++) {
        lengths[order[i]] = (uint8_t)take_bits(s, 3);
    }
    if (n_literals > LITERALS - 2u || n_distances > DISTANCES - 2u ||
        !make_code(literals, lengths, CLI_COUNT(order))) {
        s->failed = 1;
        return;
    }
    memset(lengths, 0, sizeof lengths);
    take_lengths(s, literals, lengths, n_literals + n_distances);
    s->failed |= s->failed || !make_code(literals, lengths, n_literals) ||
                 !make_code(distances, lengths + n_literals, n_distances);
    if (!s->failed) {
        inflate_codes(s, literals, distances);
    }
}

static void inflate_fixed(stream *s, huffman *literals, huffman *distances)
{
    uint8_t lengths[LITERALS];
    memset(lengths, 8, 144u);
    memset(lengths + 144, 9, 112u);
    memset(lengths + 256, 7, 24u);
    memset(lengths + 280, 8, 8u);
    (void)make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    (void)make_code(distances, lengths, DISTANCES);
    inflate_codes(s, literals, distances);
}

/* Returns 0 if the bytes are no deflated ones of that size. */
static int inflate(stream *s)
{
    huffman literals;
    huffman distances;
    uint32_t is_last = 0;
    while (!is_last && !s->failed) {
        uint32_t kind;
        is_last = take_bits(s, 1);
        kind = take_bits(s, 2);
        if (kind == 0) {
            inflate_stored(s);
        } else if (kind == 1u) {
            inflate_fixed(s, &literals, &distances);
        } else if (kind == 2u) {
            inflate_dynamic(s, &literals, &distances);
        } else {
            s->failed = 1;
        }
    }
    return !s->failed && s->to == s->n_out;
}

/* ---- the archive ---- */

static uint32_t number_at(const unsigned char *at, uint32_t bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0) {
        value = value << 8u | at[bytes];
    }
    return value;
}

static uint32_t checksum(const unsigned char *data, size_t size)
{
    uint32_t sum = 0xFFFFFFFFu;
    size_t i;
    for (i = 0; i < size; i++) {
        uint32_t k;
        sum ^= data[i];
        for (k = 0; k < 8u; k++) {
            sum = sum >> 1u ^ (0xEDB88320u & (0u - (sum & 1u)));
        }
    }
    return ~sum;
}

/* The entry of a file in the list at the end of the archive; NULL if it has none. */
static const unsigned char *find_entry(const unsigned char *file, size_t size, const char *name)
{
    size_t end = size >= END_SIZE ? size - END_SIZE : 0u;
    size_t at;
    while (end > 0 && memcmp(file + end, "PK\5\6", 4u) != 0) {
        end--;
    }
    at = size >= END_SIZE ? number_at(file + end + 16u, 4) : size;
    while (at < end && end - at >= 46u && memcmp(file + at, "PK\1\2", 4u) == 0) {
        uint32_t const length = number_at(file + at + 28u, 2);
        size_t const next =
            at + 46u + length + number_at(file + at + 30u, 2) + number_at(file + at + 32u, 2);
        if (next <= end && length == strlen(name) && memcmp(file + at + 46u, name, length) == 0) {
            return file + at;
        }
        at = next;
    }
    return NULL;
}

/* Where the bytes of an entry begin; 0 if they are not all there, or encrypted. */
static size_t find_bytes(const unsigned char *file, size_t size, const unsigned char *entry)
{
    size_t at = number_at(entry + 42u, 4);
    if ((number_at(entry + 8u, 2) & 1u) != 0 || at > size || size - at < 30u ||
        memcmp(file + at, "PK\3\4", 4u) != 0) {
        return 0;
    }
    at += 30u + number_at(file + at + 26u, 2) + number_at(file + at + 28u, 2);
    return at <= size && size - at >= number_at(entry + 20u, 4) ? at : 0u;
}

int cli_zip_read(cli_session *s, const char *path, const char *name, char **data, size_t *size)
{
    char *file = NULL;
    const unsigned char *entry;
    size_t n_file = 0;
    stream in;
    uint32_t method;
    int is_whole;
    int const code = cli_binary_read(s, path, &file, &n_file);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(&in, 0, sizeof in);
    entry = find_entry((const unsigned char *)file, n_file, name);
    if (entry == NULL) {
        return cli_file_error(s, "%s has no %s", path, name);
    }
    in.at = find_bytes((const unsigned char *)file, n_file, entry);
    method = number_at(entry + 10u, 2);
    in.in = (const unsigned char *)file;
    in.n_in = in.at + number_at(entry + 20u, 4);
    in.n_out = number_at(entry + 24u, 4);
    if (in.at == 0 || in.n_out / 1100u > number_at(entry + 20u, 4) ||
        (method != 0 && method != 8u)) {
        return cli_file_error(s, "%s: %s cannot be read", path, name);
    }
    *data = (char *)cli_alloc(s, in.n_out + 1u, 1u);
    *size = in.n_out;
    in.out = (unsigned char *)*data;
    is_whole = method != 0 || in.n_in - in.at == in.n_out;
    if (method != 0) {
        is_whole = inflate(&in);
    } else if (is_whole) {
        memcpy(*data, in.in + in.at, in.n_out);
    }
    is_whole = is_whole && checksum(in.out, in.n_out) == number_at(entry + 16u, 4);
    cli_release(s, file);
    return is_whole ? CLI_EXIT_OK : cli_file_error(s, "%s: %s is damaged", path, name);
}

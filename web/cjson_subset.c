/* The part of cJSON that src/config uses, for the page, because Debian has no cJSON for WebAssembly.
 *
 * src/config/json.c checks the grammar of a text before it is parsed here, so this parser makes no checks. The tree
 * has the same form as in cJSON: `prev` of the first child is the last child. */
#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *at;
    bool is_out_of_memory;
};

static void skip_space(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

/* The value of the four hexadecimal digits after "\u". */
static unsigned long read_hex(struct parser *p)
{
    char digits[5] = {0};
    memcpy(digits, p->at, 4);
    p->at += 4;
    return strtoul(digits, NULL, 16);
}

/* Write a character in UTF-8 and return the end. */
static char *put_character(char *to, unsigned long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)((0xF00 >> more & 0xFF) | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | (code >> 6 * i & 0x3F));
    return to;
}

static char *put_escape(struct parser *p, char *to)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char letter = *p->at++;
    const char *known = strchr(letters, letter);
    if (letter != 'u') {
        *to++ = known ? meanings[known - letters] : letter;
        return to;
    }
    unsigned long code = read_hex(p);
    if (code >= 0xD800 && code < 0xDC00) { /* the first half of a pair of UTF-16 */
        p->at += 2;
        code = 0x10000 + ((code - 0xD800) << 10) + (read_hex(p) - 0xDC00);
    }
    return put_character(to, code);
}

/* Parse a string. It is never longer than its JSON text, which determines the size of the memory. */
static char *read_string(struct parser *p)
{
    const char *end = ++p->at;
    while (*end != '"')
        end += *end == '\\' ? 2 : 1;
    char *text = malloc((size_t)(end - p->at) + 1), *to = text;
    p->is_out_of_memory |= !text;
    while (text && p->at < end) {
        const char c = *p->at++;
        if (c == '\\')
            to = put_escape(p, to);
        else
            *to++ = c;
    }
    if (text)
        *to = '\0';
    p->at = end + 1;
    return text;
}

static cJSON *read_value(struct parser *p);

static void read_children(struct parser *p, cJSON *parent)
{
    const char close = parent->type == cJSON_Object ? '}' : ']';
    p->at++;
    skip_space(p);
    while (*p->at != close && !p->is_out_of_memory) {
        char *name = parent->type == cJSON_Object ? read_string(p) : NULL;
        if (name) {
            skip_space(p);
            p->at++; /* the colon */
        }
        cJSON *child = read_value(p);
        if (!child) {
            free(name);
            return;
        }
        child->string = name;
        if (parent->child) {
            child->prev = parent->child->prev;
            child->prev->next = child;
        } else {
            parent->child = child;
        }
        parent->child->prev = child;
        skip_space(p);
        p->at += *p->at == ',';
        skip_space(p);
    }
    p->at++;
}

static cJSON *read_value(struct parser *p)
{
    cJSON *value = calloc(1, sizeof *value);
    p->is_out_of_memory |= !value;
    if (!value)
        return NULL;
    skip_space(p);
    switch (*p->at) {
    case '{': value->type = cJSON_Object; break;
    case '[': value->type = cJSON_Array; break;
    case '"': value->type = cJSON_String; break;
    case 't': value->type = cJSON_True; break;
    case 'f': value->type = cJSON_False; break;
    case 'n': value->type = cJSON_NULL; break;
    default: value->type = cJSON_Number; break;
    }
    if (value->type == cJSON_Object || value->type == cJSON_Array)
        read_children(p, value);
    else if (value->type == cJSON_String)
        value->valuestring = read_string(p);
    else if (value->type == cJSON_Number)
        value->valuedouble = strtod(p->at, (char **)&p->at);
    else
        p->at += value->type == cJSON_False ? strlen("false") : strlen("true");
    return value;
}

cJSON *cJSON_ParseWithLength(const char *text, size_t length)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    struct parser p = {.at = text};
    (void)length; /* the text ends with a NUL */
    if (strncmp(text, byte_order_mark, 3) == 0)
        p.at += 3;
    cJSON *root = read_value(&p);
    if (!p.is_out_of_memory)
        return root;
    cJSON_Delete(root);
    return NULL;
}

cJSON *cJSON_CreateString(const char *text)
{
    cJSON *value = calloc(1, sizeof *value);
    char *copy = strdup(text);
    if (!value || !copy) {
        free(value);
        free(copy);
        return NULL;
    }
    value->type = cJSON_String;
    value->valuestring = copy;
    return value;
}

void cJSON_Delete(cJSON *value)
{
    while (value) {
        cJSON *next = value->next;
        cJSON_Delete(value->child);
        free(value->valuestring);
        free(value->string);
        free(value);
        value = next;
    }
}

int cJSON_GetArraySize(const cJSON *array)
{
    int count = 0;
    for (const cJSON *child = array->child; child; child = child->next)
        count++;
    return count;
}

cJSON *cJSON_GetArrayItem(const cJSON *array, int index)
{
    cJSON *child = array->child;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name)
{
    cJSON *child = object ? object->child : NULL;
    while (child && strcmp(child->string, name) != 0)
        child = child->next;
    return child;
}

static cJSON_bool is_type(const cJSON *value, int types)
{
    return value && (value->type & types) != 0;
}

#define TYPE_CHECK(name, types)                   \
    cJSON_bool cJSON_Is##name(const cJSON *value) \
    {                                             \
        return is_type(value, types);             \
    }
TYPE_CHECK(True, cJSON_True)
TYPE_CHECK(Bool, cJSON_True | cJSON_False)
TYPE_CHECK(Null, cJSON_NULL)
TYPE_CHECK(Number, cJSON_Number)
TYPE_CHECK(String, cJSON_String)
TYPE_CHECK(Array, cJSON_Array)
TYPE_CHECK(Object, cJSON_Object)

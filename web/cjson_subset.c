/* The part of cJSON that src/config uses, for the page, because Debian has no cJSON for WebAssembly.
 *
 * src/config/json.c has the parser; this file has the tree. Names and strings belong to the text that was parsed. `prev` of
 * the first child is the last child, as in cJSON. */
#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static cJSON *create(int type)
{
    cJSON *value = calloc(1, sizeof *value);
    if (value)
        value->type = type;
    return value;
}

#define CREATE(name, type)          \
    cJSON *cJSON_Create##name(void) \
    {                               \
        return create(type);        \
    }
CREATE(True, cJSON_True)
CREATE(False, cJSON_False)
CREATE(Null, cJSON_NULL)
CREATE(Array, cJSON_Array)
CREATE(Object, cJSON_Object)

cJSON *cJSON_CreateNumber(double number)
{
    cJSON *value = create(cJSON_Number);
    if (value)
        value->valuedouble = number;
    return value;
}

cJSON *cJSON_CreateStringReference(const char *string)
{
    cJSON *value = create(cJSON_String);
    if (value)
        value->valuestring = (char *)string;
    return value;
}

cJSON_bool cJSON_AddItemToArray(cJSON *array, cJSON *item)
{
    cJSON *first = array->child;
    if (!first) {
        array->child = first = item;
    } else {
        item->prev = first->prev;
        first->prev->next = item;
    }
    first->prev = item;
    return true;
}

cJSON_bool cJSON_AddItemToObjectCS(cJSON *object, const char *name, cJSON *item)
{
    item->string = (char *)name;
    return cJSON_AddItemToArray(object, item);
}

void cJSON_Delete(cJSON *value)
{
    while (value) {
        cJSON *next = value->next;
        cJSON_Delete(value->child);
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

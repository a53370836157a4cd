/* Claims about reading and printing configurations. test_values.py and refusals.txt have those about valid and refused texts. The
 * files are written as a.json into an empty folder, the working directory of the tests; the presets are read before.
 */
#include "../suite.h"
#include "base/error.h"
#include "config/config.h"
#include "config/keys.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

static const char *const presets[] = {"adams", "bees", "castor", "fish", "p5"};
static char *preset_texts[COUNT(presets)];

/* Helpers. */

/* A new file each time: some file systems write a truncated and rewritten file to the disk at once. */
static void write_file(const char *name, const char *text, size_t length)
{
    remove(name);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static bool read_text(struct config *config, const char *text, size_t length, struct error *error)
{
    write_file("a.json", text, length);
    config_defaults(config);
    return config_read(config, "a.json", error);
}

/* Read and resolve a valid text. */
static void accept(struct config *config, const char *text)
{
    struct error error = {0};
    if (!read_text(config, text, strlen(text), &error) || !config_resolve(config, &error))
        fail_msg("refused: %s", error.sentence);
    assert_int_equal(error.status, ERROR_NONE);
}

static void set(struct config *config, const char *assignment)
{
    struct error error = {0};
    if (!config_set(config, "--set", NULL, assignment, &error))
        fail_msg("refused: %s", error.sentence);
}

static void resolve(struct config *config)
{
    struct error error = {0};
    if (!config_resolve(config, &error))
        fail_msg("refused: %s", error.sentence);
}

static void assert_refused(const struct error *error, const char *sentence)
{
    assert_string_equal(error->sentence, sentence);
    assert_int_equal(error->status, ERROR_REFUSED);
}

static void assert_text_refused(const char *text, size_t length, const char *sentence)
{
    struct config config;
    struct error error = {0};
    assert_false(read_text(&config, text, length, &error));
    assert_refused(&error, sentence);
}

/* The values of a configuration, without their origins. */
static void assert_same(const struct config *a, const struct config *b)
{
    assert_string_equal(a->schema, b->schema);
    assert_string_equal(a->title, b->title);
    assert_true(a->model.seed == b->model.seed && a->steps == b->steps);
    assert_memory_equal(&a->model, &b->model, sizeof a->model);
    assert_int_equal(a->y_axis, b->y_axis);
    assert_string_equal(a->init_file, b->init_file);
    assert_memory_equal(&a->output, &b->output, sizeof a->output);
}

/* Valid configurations. */

TEST(an_empty_object_is_all_defaults)
{
    struct config read, defaults;
    config_defaults(&defaults);
    resolve(&defaults);
    accept(&read, "{}");
    assert_same(&read, &defaults);
    const struct flock_model *m = &read.model;
    assert_true(read.model.seed == 1 && read.steps == 300 && config_mean_from(&read, 0) == 150);
    assert_true(config_mean_from(&read, 101) == 200 && config_mean_from(&read, 400) == 400);
    assert_true(m->arithmetic == FLOCK_FLOAT64 && m->update == FLOCK_SYNCHRONOUS);
    assert_true(m->world.width == 640 && m->world.height == 480 && m->world.margin.bottom == 100);
    assert_true(m->world.turn_factor == 0.2 && m->world.distance == FLOCK_PLANE);
    assert_true(m->boid_count == 400 && m->min_speed == 3 && m->max_speed == 6 && isnan(m->max_force));
    assert_true(m->separation.radius == 8 && m->alignment.factor == 0.05 && m->cohesion.factor == 0.0005);
    assert_true(m->init_speed[0] == 3 && m->init_speed[1] == 6);
    assert_true(m->goals.count == 0 && m->goal_factor == 0.05 && isnan(m->goal_radius));
    assert_true(m->predator_count == 0 && m->predator_radius == 100 && m->predator_turn_factor == 0.5);
    assert_true(read.output.every == 1 && read.output.digits == 6 && read.output.flush_seconds == 1);
    assert_true(read.output.compression == 0 && read.output.h5_dims == 2);
}

TEST(a_list_has_at_most_1024_entries)
{
    static char text[10 * 1024 + 100];
    struct config config;
    strcpy(text, "{\"goals\": {\"points\": [[1, 2]");
    for (int i = 1; i < 1024; i++)
        strcat(text, ",[1, 2]");
    strcat(text, "]}}");
    accept(&config, text);
    assert_int_equal(config.model.goals.count, 1024);
    strcpy(text + strlen(text) - 3, ",[1, 2]]}}");
    assert_text_refused(text, strlen(text),
                        "a.json:1: goals.points has 1025 entries; it must have at most 1024");
}

TEST(placement_is_not_checked_if_the_state_comes_from_a_file)
{
    struct config config;
    accept(&config,
           "{\"flock\": {\"count\": 2147483647, \"init\": {\"file\": \"start.csv\", \"speed\": [-1, 1]}},"
           " \"predators\": {\"count\": 9}}");
    assert_string_equal(config.init_file, "start.csv");
}

/* Origins. */

static const char *origin_holding(const struct config *config, const char *text)
{
    for (size_t k = 0; k < CONFIG_KEY_LIMIT; k++)
        if (strcmp(config->origins[k].text, text) == 0)
            return config->origins[k].text;
    return NULL;
}

TEST(every_value_has_its_source)
{
    struct config config;
    size_t given = 0;
    accept(&config, "{\n\"seed\": 2,\n\"flock\": {\n\"count\":\n5}}");
    set(&config, "flock.max_speed=9");
    assert_non_null(origin_holding(&config, "a.json:2"));
    assert_non_null(origin_holding(&config, "a.json:4"));
    assert_non_null(origin_holding(&config, "--set flock.max_speed=9"));
    for (size_t k = 0; k < CONFIG_KEY_LIMIT; k++)
        given += config.origins[k].text[0] != '\0';
    assert_int_equal(given, 3);
}

TEST(an_origin_that_is_too_long_is_shortened)
{
    static char assignment[2000];
    struct config config;
    struct error error = {0};
    config_defaults(&config);
    memset(assignment, 'x', sizeof assignment - 1);
    memcpy(assignment, "title=", 6);
    assert_false(config_set(&config, "--set", NULL, assignment, &error));
    assert_int_equal(strlen(error.sentence), CONFIG_ORIGIN_SIZE - 1 +
                                                 strlen(": title is 1993 bytes long; it must be "
                                                        "at most 1023"));
    assert_non_null(strstr(error.sentence, "xxx...: title is 1993 bytes long; it must be at most 1023"));
}

/* Files. */

TEST(a_file_of_1_mib_is_read)
{
    static char text[(1 << 20) + 1];
    struct config config;
    struct error error = {0};
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    assert_true(read_text(&config, text, 1 << 20, &error));
    assert_text_refused(
        text, sizeof text,
        "a.json: it is larger than 1 MiB, so it is not a configuration; flock.init.file starts from a trajectory");
}

TEST(a_mib_of_brackets_is_nested_too_deep)
{
    static char text[1 << 20];
    memset(text, '[', sizeof text);
    memcpy(text, "{\"a\":", 5);
    assert_text_refused(text, sizeof text, "a.json:1:69: more than 64 nested objects and lists");
}

TEST(a_mib_of_numbers_is_refused_at_once)
{
    static char text[1 << 20];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text, "{\"flock\":[", 10);
    memcpy(text + sizeof text - 4, "11]}", 4);
    assert_text_refused(
        text, sizeof text,
        "a.json:1: flock is [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1...; it must be an object of keys");
}

TEST(a_path_that_is_too_long_is_refused_by_its_end)
{
    static char path[CONFIG_PATH_SIZE + 1];
    struct config config;
    struct error error = {0};
    config_defaults(&config);
    memset(path, 'p', CONFIG_PATH_SIZE);
    assert_false(config_read(&config, path, &error));
    assert_int_equal(error.status, ERROR_REFUSED);
    assert_non_null(strstr(error.sentence, "ppp: the path is 4096 bytes long; it must be at most 4095"));
}

TEST(a_title_of_1024_bytes_is_refused)
{
    char text[1100] = "{\"title\": \"";
    struct config config;
    size_t begin = strlen(text);
    memset(text + begin, 't', 1024);
    memcpy(text + begin + 1024, "\"}", 3);
    assert_text_refused(text, strlen(text), "a.json:1: title is 1024 bytes long; it must be at most 1023");
    memcpy(text + begin + 1023, "\"}", 3);
    accept(&config, text);
    assert_int_equal(strlen(config.title), 1023);
}

/* Initial states. */

static void read_in_folder(struct config *config, const char *text)
{
    struct error error = {0};
    mkdir("sub", 0777);
    write_file("sub/b.json", text, strlen(text));
    config_defaults(config);
    assert_true(config_read(config, "./sub/b.json", &error));
}

TEST(an_init_file_is_in_the_folder_of_the_configuration_that_names_it)
{
    static const char *const rows[][3] = {
        /* text of sub/b.json, assignment of --set, resolved name */
        {"{\"flock\": {\"init\": {\"file\": \"start.csv\"}}}", NULL, "./sub/start.csv"},
        {"{\"flock\": {\"init\": {\"file\": \"/data/start.csv\"}}}", NULL, "/data/start.csv"},
        {"{}", "flock.init.file=../start.csv", "../start.csv"},
        {NULL, "flock.init.file=start.csv", "start.csv"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config config;
        config_defaults(&config);
        if (rows[i][0])
            read_in_folder(&config, rows[i][0]);
        if (rows[i][1])
            set(&config, rows[i][1]);
        resolve(&config);
        assert_string_equal(config.init_file, rows[i][2]);
    }
}

TEST(an_init_option_is_meant_from_here)
{
    struct config config;
    struct error error = {0};
    read_in_folder(&config, "{\"flock\": {\"init\": {\"file\": \"start.csv\"}}}");
    assert_true(config_set_init(&config, "other.h5@20", &error));
    resolve(&config);
    assert_string_equal(config.init_file, "other.h5@20");
}

TEST(an_init_option_needs_a_path_of_utf8)
{
    struct config config;
    struct error empty = {0}, latin = {0};
    config_defaults(&config);
    assert_false(config_set_init(&config, "", &empty));
    assert_refused(&empty, "--init: the path is 0 bytes long; it must be from 1 to 4095");
    assert_false(config_set_init(&config, "Z\xfcrich.csv", &latin));
    assert_refused(&latin, "--init: the path is not UTF-8");
}

TEST(an_init_file_too_far_away_is_refused)
{
    static char text[CONFIG_PATH_SIZE + 100] = "{\"flock\": {\"init\": {\"file\": \"";
    struct config config;
    struct error error = {0};
    size_t begin = strlen(text);
    memset(text + begin, 'f', CONFIG_PATH_SIZE - 5);
    memcpy(text + begin + CONFIG_PATH_SIZE - 5, "\"}}}", 5);
    read_in_folder(&config, text);
    assert_false(config_resolve(&config, &error));
    assert_refused(
        &error,
        "./sub/b.json:1: the path of flock.init.file from the current folder is too long, 4097 bytes");
}

/* Printing. */

/* A configuration that is printed and read again is the same to the last bit, and so is its text. */
static void assert_prints_back(const struct config *config)
{
    for (enum config_form form = CONFIG_LINE; form <= CONFIG_PRETTY; form++) {
        struct config again;
        char *text = config_print(config, form), *text_again;
        assert_non_null(text);
        accept(&again, text);
        assert_same(config, &again);
        text_again = config_print(&again, form);
        assert_string_equal(text, text_again);
        free(text);
        free(text_again);
    }
}

TEST(presets_print_back_to_the_same_bits)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        struct config config;
        accept(&config, preset_texts[i]);
        assert_prints_back(&config);
    }
}

TEST(odd_values_print_back_to_the_same_bits)
{
    struct config config;
    accept(
        &config,
        "{\"title\": \"\\\"q\\\" \\\\ / \\b\\f\\n\\r\\t\\u0001\\u007f \\ud83d\\udc1d \xe2\x82\xac\", \"seed\": "
        "\"18446744073709551615\","
        " \"steps\": 9007199254740992, \"world\": {\"width\": 0.30000000000000004, \"height\": 5e-324,"
        " \"margin\": {\"left\": -0.0, \"top\": 1e-7}, \"turn_factor\": 1.7976931348623157e308, \"wind\": "
        "[1e-7, -0.0]},"
        " \"flock\": {\"min_speed\": null, \"max_speed\": null, \"separation\": {\"factor\": -0.1},"
        " \"init\": {\"speed\": [-1, 123456789.12345679], \"velocity\": \"component\", \"file\": \"a b.csv\"}},"
        " \"output\": {\"flush_seconds\": 0.1, \"every\": 9007199254740991}}");
    assert_true(signbit(config.model.world.margin.left));
    assert_prints_back(&config);
}

TEST(one_line_output_is_ascii)
{
    struct config config;
    accept(&config, "{\"title\": \"\xc3\xa9 \xe2\x82\xac \xef\xbf\xbf \xf0\x90\x80\x80 \xf0\x9f\x90\x9d "
                    "\xf4\x8f\xbf\xbf\"}");
    char *text = config_print(&config, CONFIG_LINE);
    assert_non_null(
        strstr(text, "\"title\": \"\\u00e9 \\u20ac \\uffff \\ud800\\udc00 \\ud83d\\udc1d \\udbff\\udfff\""));
    free(text);
    text = config_print(&config, CONFIG_PRETTY);
    assert_non_null(strstr(text, "\"title\": \"\xc3\xa9 \xe2\x82\xac "));
    free(text);
    assert_prints_back(&config);
}

TEST(a_margin_of_zeros_and_negative_zeros_prints_back)
{
    struct config config;
    accept(&config, "{\"world\": {\"margin\": {\"right\": -0.0}}}");
    assert_true(signbit(config.model.world.margin.right) && !signbit(config.model.world.margin.left));
    assert_prints_back(&config);
}

/* Doubles of random bits, from a generator with a fixed seed (xorshift). */
TEST(random_numbers_print_back_to_the_same_bits)
{
    uint64_t bits = UINT64_C(88172645463325252);
    struct config config;
    config_defaults(&config);
    resolve(&config);
    for (int round = 0; round < 200; round++) {
        double *numbers[] = {&config.model.separation.factor, &config.model.alignment.factor,
                             &config.model.cohesion.factor};
        for (size_t i = 0; i < COUNT(numbers); i++) {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            memcpy(numbers[i], &bits, sizeof bits);
            if (!isfinite(*numbers[i]))
                *numbers[i] = 0;
        }
        config.model.seed = bits;
        assert_prints_back(&config);
    }
}

/* tests/tools/test_schema.py has the claim about all keys. */
TEST(printing_on_many_lines_indents_sections)
{
    static const char *const parts[] = {
        "{\n  \"title\": \"\",\n  \"seed\": 1,\n",
        "\n    \"margin\": { \"left\": 5, \"right\": 100, \"top\": 100, \"bottom\": 100 },\n",
        "\n    \"noise\": {\n      \"eta\": 0,\n      \"vector\": 0\n    },\n",
        "\n      \"speed\": [3, 6],\n      \"direction\": null,\n      \"steps\": \"anew\"\n    }\n  },\n",
        "\n  },\n  \"schedule\": []\n}\n",
    };
    struct config config;
    accept(&config, "{}");
    set(&config, "world.margin.left=5");
    char *text = config_print(&config, CONFIG_PRETTY);
    assert_ptr_equal(strstr(text, parts[0]), text);
    for (size_t i = 1; i < COUNT(parts); i++)
        assert_non_null(strstr(text, parts[i]));
    assert_string_equal(strstr(text, parts[COUNT(parts) - 1]), parts[COUNT(parts) - 1]);
    free(text);
}

TEST(printing_on_one_line_is_one_line)
{
    struct config config;
    accept(&config, "{\"title\": \"two\\nlines\", \"flock\": {\"init\": {\"file\": \"a.csv\"}}}");
    char *text = config_print(&config, CONFIG_LINE);
    assert_null(strchr(text, '\n'));
    assert_int_equal(strncmp(text, "{\"title\": \"two\\nlines\", \"seed\": 1, ", 34), 0);
    assert_non_null(strstr(text, "\"init\": {\"position\": \"uniform\", "));
    assert_non_null(strstr(text, "\"file\": \"a.csv\", \"steps\": \"anew\"}"));
    free(text);
}

/* Explaining. */

static char *explained(const char *key, struct error *error)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    config_explain(out, key, error);
    fclose(out);
    return text;
}

static void assert_explained(const char *key, const char *expected)
{
    struct error error = {0};
    char *text = explained(key, &error);
    assert_int_equal(error.status, ERROR_NONE);
    assert_string_equal(text, expected);
    free(text);
}

TEST(a_key_is_explained_with_bounds_and_default)
{
    assert_explained(
        "flock.separation.radius",
        "flock.separation.radius\n"
        "    Boids move away from neighbours within this radius, in world units; 0: off; null (only with nearest): any "
        "distance.\n"
        "    value:   a number of 0 or more, or null\n"
        "    default: 8\n");
    assert_explained(
        "flock.max_force",
        "flock.max_force\n"
        "    Maximum change of velocity per step by each rule (reynolds) or by all rules together (direct), in world "
        "units per step; null: no limit.\n"
        "    value:   a number above 0, or null\n"
        "    default: null\n");
    assert_explained("output.mean_from",
                     "output.mean_from\n"
                     "    First step of the averages of observables; null: half of the run.\n"
                     "    value:   a whole number from 0 to 9007199254740992, or null\n"
                     "    default: null\n");
    assert_explained(
        "world.margin.left",
        "world.margin.left\n"
        "    Margin on one side (left: x = 0, right: x = width, top: y = 0, bottom: y = height), in world units.\n"
        "    value:   a number of 0 or more\n"
        "    default: 100\n");
}

/* No real key has such bounds. */
TEST(both_bounds_are_printed)
{
    char text[128];
    const struct config_key turn = {.kind = KEY_NULLABLE, .low = 0, .high = 180, .is_above_low = true};
    const struct config_key noise = {.kind = KEY_NUMBER, .low = 0, .high = 6.283185307179586};
    const struct config_key range = {.kind = KEY_PAIR, .low = 0, .high = (double)INFINITY};
    config_key_expected(&turn, text, sizeof text);
    assert_string_equal(text, "a number above 0 and at most 180, or null");
    config_key_expected(&noise, text, sizeof text);
    assert_string_equal(text, "a number from 0 to 6.283185307179586");
    config_key_bounds(&noise, text, sizeof text);
    assert_string_equal(text, "from 0 to 6.283185307179586");
    config_key_expected(&range, text, sizeof text);
    assert_string_equal(text, "two numbers [a, b] of 0 or more, with a <= b");
}

TEST(a_section_is_explained_by_its_keys)
{
    char *expected = NULL;
    size_t length;
    FILE *out = open_memstream(&expected, &length);
    assert_non_null(out);
    for (size_t k = 0; k < config_key_count; k++)
        if (strncmp(config_keys[k].path, "predators.", strlen("predators.")) == 0)
            fprintf(out, "%-28s  %s\n", config_keys[k].path, config_keys[k].meaning);
    fclose(out);
    assert_explained("predators", expected);
    free(expected);
}

/* Memory. */

static int allocations_left;

static void *failing_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

TEST(running_out_of_memory_is_one_sentence)
{
    cJSON_Hooks hooks = {failing_malloc, free};
    bool is_read = false;
    for (int allowed = 0; !is_read; allowed++) {
        struct config config;
        struct error error = {0};
        allocations_left = allowed;
        cJSON_InitHooks(&hooks);
        is_read = read_text(&config, preset_texts[0], strlen(preset_texts[0]), &error);
        cJSON_InitHooks(NULL);
        if (!is_read)
            assert_string_equal(error.sentence, "a.json: not enough memory to read it");
        assert_int_equal(error.status, is_read ? ERROR_NONE : ERROR_FAILED);
        assert_true(allowed < 1000);
    }
}

/* Damage: a text of any contents is read, or refused in one line. */

/* Nothing follows the text and its final zero, so that a sanitizer finds each byte that is read beyond them. */
static bool read_block(struct config *config, const char *text, size_t length, struct error *error)
{
    char *block = malloc(length + 1);
    assert_non_null(block);
    memcpy(block, text, length);
    block[length] = '\0';
    config_defaults(config);
    const bool is_read = config_read_contents(config, "a.json", block, length, error);
    free(block);
    return is_read;
}

static void assert_outcome(const char *text, size_t length)
{
    struct config config;
    struct error error = {0};
    if (read_block(&config, text, length, &error) && config_resolve(&config, &error)) {
        assert_int_equal(error.status, ERROR_NONE);
        return;
    }
    assert_int_equal(error.status, ERROR_REFUSED);
    assert_int_equal(strncmp(error.sentence, "a.json:", 7), 0);
    assert_null(strchr(error.sentence, '\n'));
}

TEST(a_preset_cut_anywhere_is_refused)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        size_t whole = strlen(preset_texts[i]) - 2; /* without "}\n" */
        for (size_t length = 0; length <= whole; length++) {
            struct config config;
            struct error error = {0};
            assert_false(read_block(&config, preset_texts[i], length, &error));
            assert_int_equal(error.status, ERROR_REFUSED);
            assert_non_null(strstr(error.sentence, length == 0 ? "empty" : ":"));
        }
    }
}

TEST(a_preset_damaged_anywhere_is_read_or_refused)
{
    static const char bytes[] = {'\0', '\n', '"', '}', '[', '9', '\\', '\xff'};
    char *text = strdup(preset_texts[0]);
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        char kept = text[at];
        for (size_t b = 0; b < sizeof bytes; b++) {
            text[at] = bytes[b];
            assert_outcome(text, length);
        }
        text[at] = kept;
    }
    free(text);
}

/* Reads the presets from the project's root, before the working directory changes. */
static bool load_presets(void)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        char path[64];
        snprintf(path, sizeof path, "configs/%s.json", presets[i]);
        FILE *file = fopen(path, "rb");
        preset_texts[i] = calloc(1, 1 << 16);
        if (file == NULL || preset_texts[i] == NULL || fread(preset_texts[i], 1, (1 << 16) - 1, file) == 0) {
            perror(path);
            return false;
        }
        fclose(file);
    }
    return true;
}

int main(void)
{
    char folder[] = "/tmp/boids-config-XXXXXX";

    if (!load_presets() || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        fprintf(stderr, "test_config runs in the project's root and needs a folder in /tmp\n");
        return 1;
    }
    int failed = RUN_SUITE("config", NULL, NULL);
    remove("a.json");
    remove("sub/b.json");
    rmdir("sub");
    if (chdir("/") == 0)
        rmdir(folder);
    for (size_t i = 0; i < COUNT(presets); i++)
        free(preset_texts[i]);
    return failed;
}

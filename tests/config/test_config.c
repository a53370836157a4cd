/* Claims about the configuration: its values, error messages and derived values.
 *
 * Most claims are rows of a table: a text and its error message. Each row becomes a test with its own name. The
 * files are written as a.json into an empty folder, the working directory of the tests; the presets are read
 * before.
 */
#include "config/config.h"
#include "config/keys.h"
#include "fault.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

static bool read_text(struct config *config, const char *text, size_t length, struct fault *fault)
{
    write_file("a.json", text, length);
    config_defaults(config);
    return config_read(config, "a.json", fault);
}

/* Read and resolve a valid text. */
static void accept(struct config *config, const char *text)
{
    struct fault fault = {0};
    if (!read_text(config, text, strlen(text), &fault) || !config_resolve(config, &fault))
        fail_msg("refused: %s", fault.sentence);
    assert_int_equal(fault.status, FAULT_NONE);
}

static void set(struct config *config, const char *assignment)
{
    struct fault fault = {0};
    if (!config_set(config, "--set", assignment, &fault))
        fail_msg("refused: %s", fault.sentence);
}

static void resolve(struct config *config)
{
    struct fault fault = {0};
    if (!config_resolve(config, &fault))
        fail_msg("refused: %s", fault.sentence);
}

static void assert_refused(const struct fault *fault, const char *sentence)
{
    assert_string_equal(fault->sentence, sentence);
    assert_int_equal(fault->status, FAULT_REFUSED);
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

/* Invalid files. */

struct refusal {
    const char *claim, *text, *sentence;
};

static const struct refusal refusals[] = {
    /* Bounds. */
    {"a_negative_radius_names_file_line_key_and_bound",
     "{\n  \"flock\": {\n    \"cohesion\": {\n      \"radius\": -3\n} } }",
     "a.json:4: flock.cohesion.radius is -3; it must be 0 or more, or null"},
    {"a_world_of_width_0_is_refused", "{\"world\": {\"width\": 0}}",
     "a.json:1: world.width is 0; it must be above 0"},
    {"a_world_of_negative_zero_height_is_refused", "{\"world\": {\"height\": -0.0}}",
     "a.json:1: world.height is -0.0; it must be above 0"},
    {"a_width_that_vanishes_in_a_double_is_refused", "{\"world\": {\"width\": 1e-999}}",
     "a.json:1: world.width is 1e-999; it must be above 0"},
    {"a_max_force_of_0_is_refused", "{\"flock\": {\"max_force\": 0}}",
     "a.json:1: flock.max_force is 0; it must be above 0, or null"},
    {"a_wind_of_one_number_is_refused", "{\"world\": {\n\"wind\": 3}}",
     "a.json:2: world.wind is 3; it must be two numbers [x, y]"},
    {"a_wind_of_three_numbers_is_refused", "{\"world\": {\"wind\": [1, 2, 3]}}",
     "a.json:1: world.wind is [1, 2, 3]; it must be two numbers [x, y]"},
    {"a_wind_of_text_is_refused", "{\"world\": {\"wind\": [1, \"2\"]}}",
     "a.json:1: world.wind is [1, \"2\"]; it must be two numbers [x, y]"},
    {"goals_that_are_no_list_are_refused", "{\"goals\": {\"points\": 3}}",
     "a.json:1: goals.points is 3; it must be a list of at most 1024 entries, each two numbers [x, y]"},
    {"a_goal_that_is_no_place_is_refused_by_its_index",
     "{\"goals\": {\"points\": [[1, 2],\n[3, 4],\n[5, null]]}}",
     "a.json:3: goals.points[2] is [5, null]; it must be two numbers [x, y]"},
    {"a_goal_that_is_a_number_is_refused", "{\"goals\": {\"points\": [1, 2]}}",
     "a.json:1: goals.points[0] is 1; it must be two numbers [x, y]"},
    {"goals_and_a_direction_are_refused", "{\"goals\": {\"points\": [[1, 2]],\n\"direction\": 90}}",
     "a.json:2: goals.direction is 90, but goals.points is [[1, 2]] (a.json:1); boids seek either points or a direction"},
    {"a_share_above_one_is_refused", "{\"goals\": {\"share\": 1.5}}",
     "a.json:1: goals.share is 1.5; it must be from 0 to 1"},
    {"a_goal_that_fixed_point_cannot_hold_is_refused",
     "{\"arithmetic\": \"fixed\",\n\"goals\": {\"points\": [[1, 2], [40000, 2]]}}",
     "a.json:2: goals.points is [[1, 2], [40000, 2]], but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"a_circle_without_a_radius_is_refused_by_its_index",
     "{\"obstacles\": {\"circles\": [[1, 2, 3], [4, 5]]}}",
     "a.json:1: obstacles.circles[1] is [4, 5]; it must be three numbers [x, y, radius], the radius above 0"},
    {"a_circle_of_radius_0_is_refused", "{\"obstacles\": {\"circles\": [[1, 2, 0]]}}",
     "a.json:1: obstacles.circles[0] is [1, 2, 0]; it must be three numbers [x, y, radius], the radius above 0"},
    {"an_obstacle_that_is_no_list_is_refused", "{\"obstacles\": {\"circles\": {\"x\": 1}}}",
     "a.json:1: obstacles.circles is an object; it must be a list of at most 1024 entries, each three numbers [x, y, "
     "radius], the radius above 0"},
    {"a_negative_speed_of_predators_is_refused", "{\"predators\": {\"max_speed\": -1}}",
     "a.json:1: predators.max_speed is -1; it must be 0 or more, null or \"flock\""},
    {"a_speed_of_predators_in_another_word_is_refused", "{\"predators\": {\"max_speed\": \"boid\"}}",
     "a.json:1: predators.max_speed is \"boid\"; it must be a number of 0 or more, null or \"flock\""},
    {"predators_slower_than_the_flocks_least_speed_are_refused", "{\"predators\": {\n\"max_speed\": 2}}",
     "a.json:2: predators.max_speed is 2, but flock.min_speed is 3 (by default); min_speed of predators must not exceed "
     "their max_speed"},
    {"speeds_of_predators_the_wrong_way_round_are_refused",
     "{\"predators\": {\n\"min_speed\": 5,\n\"max_speed\": 4}}",
     "a.json:2: predators.min_speed is 5, but predators.max_speed is 4 (a.json:3); min_speed of predators must not exceed "
     "their max_speed"},
    {"a_negative_max_speed_is_refused", "{\"flock\": {\"max_speed\": -1e-300}}",
     "a.json:1: flock.max_speed is -1e-300; it must be 0 or more, or null"},
    {"a_flock_of_none_is_refused", "{\"flock\": {\"count\": 0}}",
     "a.json:1: flock.count is 0; it must be a whole number from 1 to 2147483647"},
    {"a_flock_of_2_to_the_31_is_refused", "{\"flock\": {\"count\": 2147483648}}",
     "a.json:1: flock.count is 2147483648; it must be a whole number from 1 to 2147483647"},
    {"a_flock_of_2_to_the_64_and_1_is_refused", "{\"flock\": {\"count\": 18446744073709551617}}",
     "a.json:1: flock.count is 18446744073709551617; it must be a whole number from 1 to 2147483647"},
    {"predators_are_at_most_65535", "{\"predators\": {\"count\": 65536}}",
     "a.json:1: predators.count is 65536; it must be a whole number from 0 to 65535"},
    {"digits_are_at_most_17", "{\"output\": {\"digits\": 18}}",
     "a.json:1: output.digits is 18; it must be a whole number from 1 to 17"},
    {"boids_from_an_id_on_are_refused", "{\"output\": {\"boids\": {\"from\": 3}}}",
     "a.json:1: output.boids is an object; it must be \"all\", {\"every\": K} or {\"from\": A, \"to\": B} with ids up to "
     "2147483647 and A <= B"},
    {"boids_from_5_to_3_are_refused", "{\"output\": {\"boids\": {\"from\": 5, \"to\": 3}}}",
     "a.json:1: output.boids is an object; it must be \"all\", {\"every\": K} or {\"from\": A, \"to\": B} with ids up to "
     "2147483647 and A <= B"},
    {"no_fields_are_refused", "{\"output\": {\"fields\": []}}",
     "a.json:1: output.fields is []; it must be a list of one or more names: position, velocity"},
    {"h5_dims_are_2_or_3", "{\"output\": {\"h5_dims\": 4}}",
     "a.json:1: output.h5_dims is 4; it must be a whole number from 2 to 3"},
    {"an_observable_that_is_none_is_refused", "{\"output\": {\"observables\": [\"speed\"]}}",
     "a.json:1: output.observables is [\"speed\"]; it must be true, false or a list of names: polarization, milling, "
     "mean_speed, nearest_neighbour_distance, flocks, largest_flock, close_pairs, centre_x, centre_y, "
     "predator_distance, speed_sd, nearest_neighbour_sd, predator_share"},
    {"a_frame_each_0_steps_is_refused", "{\"output\": {\"every\": 0}}",
     "a.json:1: output.every is 0; it must be a whole number from 1 to 9007199254740992"},
    {"a_negative_margin_is_refused", "{\"world\": {\"margin\": -1}}",
     "a.json:1: world.margin is -1; it must be a number of 0 or more, or an object of left, right, top and bottom"},
    {"a_negative_side_is_refused_by_its_own_name", "{\"world\": {\"margin\": {\"left\": 1,\n\"top\": -1}}}",
     "a.json:2: world.margin.top is -1; it must be 0 or more"},
    {"a_speed_range_the_wrong_way_round_is_refused", "{\"flock\": {\"init\": {\"speed\": [3, 1]}}}",
     "a.json:1: flock.init.speed is [3, 1]; it must be two numbers [a, b], with a <= b"},

    /* Whole numbers. */
    {"half_a_boid_is_refused", "{\"flock\": {\"count\": 3.5}}",
     "a.json:1: flock.count is 3.5; it must be a whole number from 1 to 2147483647"},
    {"a_fraction_that_a_double_loses_is_no_whole_number", "{\"steps\": 3.0000000000000000001}",
     "a.json:1: steps is 3.0000000000000000001; it must be a whole number from 0 to 9007199254740992"},
    {"a_power_of_ten_below_1_is_no_whole_number", "{\"steps\": 25e-1}",
     "a.json:1: steps is 25e-1; it must be a whole number from 0 to 9007199254740992"},
    {"an_exponent_beyond_all_measure_is_no_whole_number", "{\"steps\": 1.5e-99999999999999999999}",
     "a.json:1: steps is 1.5e-99999999999999999999; it must be a whole number from 0 to 9007199254740992"},
    {"a_seed_above_2_to_the_53_as_a_number_is_refused", "{\"seed\": 9007199254740993}",
     "a.json:1: seed is 9007199254740993; it must be a whole number from 0 to 9007199254740992, or a string of "
     "digits up to 18446744073709551615"},
    {"a_seed_of_2_to_the_64_is_refused", "{\"seed\": \"18446744073709551616\"}",
     "a.json:1: seed is \"18446744073709551616\"; it must be a whole number from 0 to 9007199254740992, or a string "
     "of digits up to 18446744073709551615"},
    {"a_seed_with_a_sign_is_refused", "{\"seed\": \"-1\"}",
     "a.json:1: seed is \"-1\"; it must be a whole number from 0 to 9007199254740992, or a string of digits up to "
     "18446744073709551615"},
    {"a_seed_of_no_digits_is_refused", "{\"seed\": \"\"}",
     "a.json:1: seed is \"\"; it must be a whole number from 0 to 9007199254740992, or a string of digits up to "
     "18446744073709551615"},

    /* Kinds. */
    {"a_text_where_a_count_stands_is_refused", "{\n\"flock\": {\n\"count\": \"many\"}}",
     "a.json:3: flock.count is \"many\"; it must be a whole number from 1 to 2147483647"},
    {"a_number_in_quotes_is_no_number", "{\"world\": {\"width\": \"640\"}}",
     "a.json:1: world.width is \"640\"; it must be a number above 0"},
    {"a_factor_in_quotes_is_told_to_be_a_number", "{\"flock\": {\"cohesion\": {\"factor\": \"1\"}}}",
     "a.json:1: flock.cohesion.factor is \"1\"; it must be a number"},
    {"true_is_no_number", "{\"world\": {\"turn_factor\": true}}",
     "a.json:1: world.turn_factor is true; it must be a number of 0 or more"},
    {"null_is_no_count", "{\"flock\": {\"count\": null}}",
     "a.json:1: flock.count is null; it must be a whole number from 1 to 2147483647"},
    {"an_object_where_a_number_stands_is_refused", "{\"flock\": {\"min_speed\": {\"a\": 1}}}",
     "a.json:1: flock.min_speed is an object; it must be a number of 0 or more, or null"},
    {"a_number_where_an_object_stands_is_refused", "{\"seed\": 1,\n\"flock\": 400}",
     "a.json:2: flock is 400; it must be an object"},
    {"a_number_is_no_title", "{\"title\": 7}", "a.json:1: title is 7; it must be text"},
    {"a_list_is_no_file", "{\"flock\": {\"init\": {\"file\": [ \"a\",\n \"b\" ]}}}",
     "a.json:1: flock.init.file is [ \"a\", \"b\" ]; it must be the path of a file, as text"},
    {"a_border_that_is_none_is_told_the_four", "{\"world\": {\"border\": \"bouncy\"}}",
     "a.json:1: world.border is \"bouncy\"; it must be \"bounce\", \"wrap\", \"reflect\" or \"open\"; did you mean \"bounce\"?"},
    {"names_of_a_choice_are_case_sensitive", "{\"update\": \"Passes\"}",
     "a.json:1: update is \"Passes\"; it must be \"synchronous\", \"sequential\", \"passes\" or \"shuffled\"; did you mean \"passes\"?"},
    {"a_position_other_than_uniform_is_refused", "{\"flock\": {\"init\": {\"position\": \"grid\"}}}",
     "a.json:1: flock.init.position is \"grid\"; it must be \"uniform\""},
    {"a_range_of_three_is_refused", "{\"flock\": {\"init\": {\"speed\": [1, 2, 3]}}}",
     "a.json:1: flock.init.speed is [1, 2, 3]; it must be two numbers [a, b], with a <= b"},
    {"a_range_of_texts_is_refused", "{\"flock\": {\"init\": {\"speed\": [1, \"2\"]}}}",
     "a.json:1: flock.init.speed is [1, \"2\"]; it must be two numbers [a, b], with a <= b"},
    {"a_range_of_one_number_is_refused", "{\"flock\": {\"init\": {\"speed\": 1}}}",
     "a.json:1: flock.init.speed is 1; it must be two numbers [a, b], with a <= b"},
    {"what_was_found_is_shortened_between_characters",
     "{\"update\": \"x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
     "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}",
     "a.json:1: update is \"x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
     "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4...\"; it must be \"synchronous\", "
     "\"sequential\", \"passes\" or \"shuffled\""},

    {"a_standard_term_is_answered_with_the_value", "{\"world\": {\"border\": \"periodic\"}}",
     "a.json:1: world.border is \"periodic\"; it must be \"bounce\", \"wrap\", \"reflect\" or \"open\"; did you mean "
     "\"wrap\"?"},

    /* Names. */
    {"a_misspelt_section_meets_its_neighbour", "{\n\n\"flock\": {\n\n\"cohesoin\": {}}}",
     "a.json:5: flock.cohesoin is not a known section or key; did you mean flock.cohesion?"},
    {"a_misspelt_key_meets_its_neighbour", "{\"flock\": {\"cohesion\": {\"radus\": 1}}}",
     "a.json:1: flock.cohesion.radus is not a known section or key; did you mean flock.cohesion.radius?"},
    {"a_key_in_the_wrong_section_is_found", "{\"world\": {\"max_speed\": 1}}",
     "a.json:1: world.max_speed is not a known section or key; did you mean flock.max_speed?"},
    {"a_key_like_nothing_gets_no_hint", "{\"colour\": 1}", "a.json:1: colour is not a known section or key"},
    {"names_are_case_sensitive", "{\"Seed\": 1}",
     "a.json:1: Seed is not a known section or key; did you mean seed?"},
    {"an_unknown_side_is_refused", "{\"world\": {\"margin\": {\"lift\": 1}}}",
     "a.json:1: world.margin.lift is not a known section or key; did you mean world.margin.left?"},
    {"an_empty_name_is_refused", "{\"\": 1}", "a.json:1: \"\" is not a known section or key"},
    {"a_dotted_name_is_no_path", "{\"flock.count\": 3}",
     "a.json:1: the name \"flock.count\" contains a dot; write the section as an object"},
    {"a_key_given_twice_names_both_lines", "{\n\"seed\": 1,\n\"steps\": 5,\n\"seed\": 1\n}",
     "a.json:4: seed is given twice; the first is in line 2"},
    {"a_section_given_twice_names_both_lines", "{\n\"flock\": {},\n\"world\": {},\n\"flock\": {}\n}",
     "a.json:4: flock is given twice; the first is in line 2"},
    {"a_name_spelt_in_escapes_is_the_same_name", "{\"seed\": 1,\n\"\\u0073eed\": 2}",
     "a.json:2: seed is given twice; the first is in line 1"},
    {"a_side_given_twice_is_refused", "{\"world\": {\"margin\": {\"left\": 1, \"left\": 2}}}",
     "a.json:1: world.margin.left is given twice; the first is in line 1"},

    /* Invalid JSON. */
    {"an_empty_file_is_refused", "", "a.json: it is empty; it must contain a JSON object"},
    {"a_file_of_blanks_is_empty", " \n\t\r\n", "a.json: it is empty; it must contain a JSON object"},
    {"a_list_is_no_configuration", "\n[1, 2]", "a.json:2: the configuration is [1, 2]; it must be an object"},
    {"null_is_no_configuration", "null", "a.json:1: the configuration is null; it must be an object"},
    {"an_end_inside_an_object_is_told", "{\n\"world\": {\"width\": 3},\n\"flock\": {\"count\": 3 ",
     "a.json:3:22: the JSON ends within an object"},
    {"an_end_inside_a_list_is_told", "{\"flock\": [3,", "a.json:1:14: the JSON ends within a list"},
    {"an_end_inside_a_string_is_told", "{\"title\": \"abc", "a.json:1:15: the JSON ends within a string"},
    {"an_end_behind_a_name_is_told", "{\"title\"", "a.json:1:9: the JSON ends within an object"},
    {"a_comma_before_a_brace_is_told", "{\n\"seed\": 1,\n}",
     "a.json:3:1: unexpected '}' after a comma; remove the comma"},
    {"a_comma_before_a_bracket_is_told", "{\"flock\": [1,]}",
     "a.json:1:14: unexpected ']' after a comma; remove the comma"},
    {"a_missing_value_is_told", "{\"seed\": }", "a.json:1:10: unexpected '}'; a value must stand here"},
    {"a_missing_comma_is_told", "{\"seed\": 1\n \"steps\": 2}",
     "a.json:2:2: unexpected '\"'; expected ',' or '}'"},
    {"a_missing_colon_is_told", "{\"seed\" 1}", "a.json:1:9: unexpected '1'; a ':' must follow the name"},
    {"a_missing_bracket_is_told", "{\"flock\": [1, 2}", "a.json:1:16: unexpected '}'; expected ',' or ']'"},
    {"a_name_without_quotes_is_told", "{seed: 1}",
     "a.json:1:2: unexpected 'seed'; expected a name in double quotes"},
    {"single_quotes_are_told", "{'seed': 1}",
     "a.json:1:2: unexpected \"'\"; expected a name in double quotes"},
    {"a_comment_is_told", "{\n  // how many\n\"seed\": 1}",
     "a.json:2:3: JSON has no comments; expected a name in double quotes"},
    {"text_after_the_object_is_told", "{}\n{}", "a.json:2:1: unexpected '{'; unexpected text after the JSON"},
    {"columns_are_counted_in_characters", "{\"title\": \"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x9d\" x}",
     "a.json:1:17: unexpected 'x'; expected ',' or '}'"},
    {"an_unknown_word_is_told_whole", "{\"seed\": None}",
     "a.json:1:10: seed is None; it must be a number, text in double quotes, true, false or null"},
    {"a_long_word_is_told_by_its_beginning",
     "{\"seed\": ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ}",
     "a.json:1:10: seed is ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ...; it must be a number, text in double quotes, true, false or null"},
    {"nan_is_no_number", "{\"seed\": NaN}",
     "a.json:1:10: seed is NaN; it must be a number, text in double quotes, true, false or null"},
    {"a_word_that_begins_like_null_is_not_null", "{\"flock\": {\"max_speed\": nullx}}",
     "a.json:1:25: flock.max_speed is nullx; it must be a number, text in double quotes, true, false or null"},
    {"a_form_feed_is_no_blank", "{\f}", "a.json:1:2: unexpected byte 0x0c; expected a name in double quotes"},

    /* Invalid numbers, most of which cJSON accepts. */
    {"a_leading_zero_is_refused", "{\"seed\": 01}",
     "a.json:1:10: seed is 01; it must be a number in the form of JSON"},
    {"a_point_without_digits_behind_is_refused", "{\"seed\": 1.}",
     "a.json:1:10: seed is 1.; it must be a number in the form of JSON"},
    {"a_point_without_digits_before_is_refused", "{\"seed\": .5}",
     "a.json:1:10: seed is .5; it must be a number in the form of JSON"},
    {"a_minus_before_a_point_is_refused", "{\"seed\": -.5}",
     "a.json:1:10: seed is -.5; it must be a number in the form of JSON"},
    {"a_plus_is_refused", "{\"seed\": +1}",
     "a.json:1:10: seed is +1; it must be a number in the form of JSON"},
    {"a_minus_alone_is_refused", "{\"seed\": -}",
     "a.json:1:10: seed is -; it must be a number in the form of JSON"},
    {"an_exponent_without_digits_is_refused", "{\"seed\": 1e+}",
     "a.json:1:10: seed is 1e+; it must be a number in the form of JSON"},
    {"a_hexadecimal_number_is_refused", "{\"seed\": 0x10}",
     "a.json:1:10: seed is 0x10; it must be a number in the form of JSON"},
    {"infinity_with_a_sign_is_refused", "{\"seed\": -Infinity}",
     "a.json:1:10: seed is -Infinity; it must be a number in the form of JSON"},
    {"two_points_are_refused", "{\"seed\": 1.2.3}",
     "a.json:1:10: seed is 1.2.3; it must be a number in the form of JSON"},
    {"a_number_beyond_a_double_is_refused", "{\"world\": {\n\"width\": 1e999}}",
     "a.json:2:10: world.width is 1e999; it must be a number that a double can hold"},
    {"a_number_beyond_what_is_read_is_refused",
     "{\"seed\": 0.1000000000000000055511151231257827021181583404541015625000000000}",
     "a.json:1:10: seed is 0.1000000000000000055511151231257827...; it must be a number of at most 63 characters"},

    {"a_number_in_a_list_is_told_by_its_place", "{\"flock\": {\"init\": {\"speed\": [1,\n-01]}}}",
     "a.json:2:1: flock.init.speed[1] is -01; it must be a number in the form of JSON"},
    {"a_number_behind_a_list_is_told_by_its_own_name",
     "{\"flock\": {\"init\": {\"speed\": [1, 2]}, \"count\": 01}}",
     "a.json:1:48: flock.count is 01; it must be a number in the form of JSON"},
    {"a_configuration_of_one_bad_number_is_told_so", "01",
     "a.json:1:1: the configuration is 01; it must be a number in the form of JSON"},
    {"a_number_of_no_key_is_told_by_the_beginning_of_its_name",
     "{\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\": {\"b\": +1}}",
     "a.json:1:64: abcdefghijklmnopqrstuvwxyzabcdefghij....b is +1; it must be a number in the form of JSON"},

    /* Invalid strings. */
    {"a_string_over_two_lines_is_refused", "{\"title\": \"one\ntwo\"}",
     "a.json:1:11: a string without a closing quote on its line"},
    {"a_raw_tab_in_a_string_is_refused", "{\"title\": \"a\tb\"}",
     "a.json:1:13: a raw control character in a string; write \\u0009"},
    {"an_unknown_escape_is_refused", "{\"title\": \"C:\\data\"}",
     "a.json:1:14: a backslash in a string that is not followed by a valid escape"},
    {"an_escape_without_four_digits_is_refused", "{\"title\": \"\\u12G4\"}",
     "a.json:1:12: a backslash in a string that is not followed by a valid escape"},
    {"an_escaped_nul_is_refused", "{\"title\": \"a\\u0000b\"}",
     "a.json:1:13: \\u0000 must not be in a string"},
    {"an_escaped_nul_in_a_name_is_refused", "{\"seed\\u0000\": 1}",
     "a.json:1:7: \\u0000 must not be in a string"},
    {"a_high_surrogate_alone_is_refused", "{\"title\": \"\\ud83d!\"}",
     "a.json:1:12: \\ud83d is half of a surrogate pair; the other half is missing"},
    {"a_low_surrogate_alone_is_refused", "{\"title\": \"\\uDC1D\"}",
     "a.json:1:12: \\uDC1D is half of a surrogate pair; the other half is missing"},
    {"utf16_is_refused", "\xFF\xFE{", "a.json:1:1: this is UTF-16; save the file as UTF-8"},
    {"a_decimal_comma_is_refused", "{\"flock\": {\"inertia\": 0,5}}",
     "a.json:1:25: unexpected '5' after a comma; expected a name in double quotes; a number has a decimal point: 0.5"},
    {"a_second_byte_order_mark_is_refused", "\xEF\xBB\xBF\xEF\xBB\xBF{}",
     "a.json:1:2: unexpected '\xEF\xBB\xBF'; a value must stand here"},
    {"a_binary_file_is_refused", "\x89HDF\r\n\x1a\n", "a.json:1:1: byte 0x89 is not UTF-8"},
    {"latin_1_is_refused_with_its_line", "{\n\"title\": \"Z\xfcrich\"}",
     "a.json:2:12: byte 0xfc is not UTF-8"},
    {"an_overlong_character_of_two_bytes_is_refused", "{\"title\": \"\xC0\xAF\"}",
     "a.json:1:12: byte 0xc0 is not UTF-8"},
    {"an_overlong_character_of_three_bytes_is_refused", "{\"title\": \"\xE0\x9F\xBF\"}",
     "a.json:1:12: byte 0xe0 is not UTF-8"},
    {"an_overlong_character_of_four_bytes_is_refused", "{\"title\": \"\xF0\x8F\xBF\xBF\"}",
     "a.json:1:12: byte 0xf0 is not UTF-8"},
    {"a_surrogate_in_utf8_is_refused", "{\"title\": \"\xED\xA0\x80\"}",
     "a.json:1:12: byte 0xed is not UTF-8"},
    {"a_character_beyond_unicode_is_refused", "{\"title\": \"\xF4\x90\x80\x80\"}",
     "a.json:1:12: byte 0xf4 is not UTF-8"},
    {"a_stray_continuation_is_refused", "{\"title\": \"\x80\"}", "a.json:1:12: byte 0x80 is not UTF-8"},
    {"a_character_cut_off_by_the_end_is_refused", "{\"title\": \"\xE2\x82",
     "a.json:1:12: byte 0xe2 is not UTF-8"},

    /* Invalid combinations of keys. */
    {"an_inner_radius_above_its_radius_names_both",
     "{\"flock\": {\"alignment\": {\n\"inner_radius\": 8,\n\"radius\": 5}}}",
     "a.json:2: flock.alignment.inner_radius is 8, but flock.alignment.radius is 5 (a.json:3); inner_radius must not "
     "exceed radius"},
    {"an_inner_radius_above_the_default_radius_is_refused",
     "{\"flock\": {\"cohesion\": {\n\"inner_radius\": 50}}}",
     "a.json:2: flock.cohesion.inner_radius is 50, but flock.cohesion.radius is 40 (by default); inner_radius must "
     "not exceed radius"},
    {"a_max_speed_below_the_default_min_speed_is_refused", "{\"flock\": {\n\"max_speed\": 2}}",
     "a.json:2: flock.max_speed is 2, but flock.min_speed is 3 (by default); min_speed must not exceed max_speed"},
    {"a_torus_without_wrap_is_refused", "{\"world\": {\"distance\": \"torus\"}}",
     "a.json:1: world.distance is \"torus\", but world.border is \"bounce\" (by default); only the border \"wrap\" "
     "makes a torus"},
    {"reynolds_without_a_force_is_refused", "{\"flock\": {\"steering\": \"reynolds\"}}",
     "a.json:1: flock.steering is \"reynolds\", but flock.max_force is null (by default); reynolds needs max_speed and "
     "max_force"},
    {"reynolds_without_a_speed_is_refused",
     "{\"flock\": {\"steering\": \"reynolds\", \"max_force\": 1,\n\"max_speed\": null}}",
     "a.json:1: flock.steering is \"reynolds\", but flock.max_speed is null (a.json:2); reynolds needs max_speed and "
     "max_force"},
    {"priority_in_passes_is_refused", "{\"update\": \"passes\",\n\"flock\": {\"priority\": \"separation\"}}",
     "a.json:2: flock.priority is \"separation\", but update is \"passes\" (a.json:1); with passes each rule acts separately"},
    {"alignment_that_comes_last_is_refused_in_passes",
     "{\"update\": \"passes\",\n\"flock\": {\"alignment\": {\"form\": \"latest\"}}}",
     "a.json:2: flock.alignment.form is \"latest\", but update is \"passes\" (a.json:1); with passes, \"difference\" uses the latest velocity, too"},
    {"priority_with_reynolds_is_refused",
     "{\"flock\": {\"steering\": \"reynolds\", \"max_force\": 1,\n\"priority\": \"separation\"}}",
     "a.json:2: flock.priority is \"separation\", but flock.steering is \"reynolds\" (a.json:1); priority needs direct steering"},
    {"any_distance_needs_nearest", "{\"flock\": {\"cohesion\": {\"radius\": null}}}",
     "a.json:1: flock.cohesion.radius is null, but flock.cohesion.nearest is null (by default); a radius of null needs a "
     "number of nearest neighbours"},
    {"any_distance_has_no_boids_in_sight",
     "{\"flock\": {\"separation\": {\"normalise\": \"seen\"}, \"cohesion\": {\"radius\": null, \"nearest\": 7}}}",
     "a.json:1: flock.cohesion.radius is null, but flock.separation.normalise is \"seen\" (a.json:1); \"seen\" counts the neighbours within the widest radius, which must then be a number"},
    {"half_a_neighbour_is_refused", "{\"flock\": {\"cohesion\": {\"nearest\": 2.5}}}",
     "a.json:1: flock.cohesion.nearest is 2.5; it must be a whole number from 1 to 32, or null"},
    {"a_view_of_nothing_is_refused", "{\"flock\": {\"alignment\": {\"view\": 0}}}",
     "a.json:1: flock.alignment.view is 0; it must be above 0 and at most 360"},
    {"inertia_in_passes_is_refused", "{\"update\": \"passes\",\n\"flock\": {\"inertia\": 0}}",
     "a.json:2: flock.inertia is 0, but update is \"passes\" (a.json:1); with passes there is no single new velocity to mix with the old one"},
    {"inertia_with_reynolds_is_refused",
     "{\"flock\": {\"steering\": \"reynolds\", \"max_force\": 1,\n\"inertia\": 0.5}}",
     "a.json:2: flock.inertia is 0.5, but flock.steering is \"reynolds\" (a.json:1); inertia needs steering \"direct\"; reynolds steers from the old velocity"},
    {"a_bounded_sum_in_passes_is_refused", "{\"update\": \"passes\",\n\"flock\": {\"max_force\": 2}}",
     "a.json:2: flock.max_force is 2, but update is \"passes\" (a.json:1); with direct steering it limits the sum of the rules, which passes do not compute"},
    {"noise_of_more_than_a_turn_is_refused", "{\"flock\": {\"noise\": {\"eta\": 6.3}}}",
     "a.json:1: flock.noise.eta is 6.3; it must be from 0 to 6.283185307179586"},
    {"alignment_is_not_divided_by_who_is_seen", "{\"flock\": {\"alignment\": {\"normalise\": \"seen\"}}}",
     "a.json:1: flock.alignment.normalise is \"seen\"; it must be \"by_form\", \"sum\", \"mean\" or \"unit\""},
    {"headings_at_a_negative_speed_are_refused", "{\"flock\": {\"init\": {\"speed\": [-1, 1]}}}",
     "a.json:1: flock.init.speed is [-1, 1], but flock.init.velocity is \"heading\" (by default); with headings it is a range of speeds, which must be 0 or more"},
    {"boids_and_predators_above_2_to_the_31_are_refused",
     "{\"flock\": {\"count\": 2147483647},\n\"predators\": {\"count\": 1}}",
     "a.json:1: flock.count is 2147483647, but predators.count is 1 (a.json:2); together they must not exceed "
     "2147483647"},
    {"fixed_point_cannot_hold_a_world_of_32768",
     "{\"arithmetic\": \"fixed\",\n\"world\": {\"width\": 32768}}",
     "a.json:2: world.width is 32768, but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"fixed_point_cannot_hold_a_factor_of_minus_32768",
     "{\"arithmetic\": \"fixed\", \"flock\": {\"cohesion\": {\"factor\": -32768}}}",
     "a.json:1: flock.cohesion.factor is -32768, but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"fixed_point_cannot_hold_a_wide_margin", "{\"arithmetic\": \"fixed\", \"world\": {\"margin\": 40000}}",
     "a.json:1: world.margin is 40000, but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"fixed_point_cannot_hold_a_wide_side",
     "{\"arithmetic\": \"fixed\", \"world\": {\"margin\": {\n\"top\": 40000}}}",
     "a.json:2: world.margin.top is 40000, but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"fixed_point_cannot_hold_a_predator_that_sees_all",
     "{\"arithmetic\": \"fixed\", \"predators\": {\"radius\": 1e5}}",
     "a.json:1: predators.radius is 100000, but arithmetic is \"fixed\" (a.json:1); fixed-point numbers are below 32768"},
    {"fixed_point_makes_0_of_a_small_force", "{\"arithmetic\": \"fixed\", \"flock\": {\"max_force\": 1e-5}}",
     "a.json:1: flock.max_force is 1e-05, but arithmetic is \"fixed\" (a.json:1); fixed point rounds numbers below 1/65536 to 0"},
    {"fixed_point_makes_0_of_a_small_speed",
     "{\"arithmetic\": \"fixed\", \"flock\": {\"min_speed\": 0, \"max_speed\": 1e-5}}",
     "a.json:1: flock.max_speed is 1e-05, but arithmetic is \"fixed\" (a.json:1); fixed point rounds numbers below 1/65536 to 0"},
    {"float32_cannot_hold_1e39", "{\"arithmetic\": \"float32\", \"world\": {\"height\": 1e39}}",
     "a.json:1: world.height is 1e+39, but arithmetic is \"float32\" (a.json:1); float32 numbers go up to 3.4e38"},
    {"float32_makes_0_of_1e_minus_50", "{\"arithmetic\": \"float32\", \"world\": {\"height\": 1e-50}}",
     "a.json:1: world.height is 1e-50, but arithmetic is \"float32\" (a.json:1); float32 rounds numbers below 1.4e-45 to 0"},
};

static void refuses(void **state)
{
    const struct refusal *row = *state;
    struct config config;
    struct fault fault = {0};
    assert_false(read_text(&config, row->text, strlen(row->text), &fault) && config_resolve(&config, &fault));
    assert_refused(&fault, row->sentence);
}

/* Settings that are refused, after a file with the first string. */

struct setting {
    const char *claim, *text, *origin, *assignment, *sentence;
};

static const struct setting settings[] = {
    {"a_setting_out_of_bounds_is_refused", "{}", "--set", "flock.count=0",
     "--set flock.count=0: flock.count must be a whole number from 1 to 2147483647"},
    {"an_option_with_its_own_key_shows_its_value", "{}", "--steps", "steps=-1",
     "--steps -1: steps must be a whole number from 0 to 9007199254740992"},
    {"a_setting_without_equals_is_refused", "{}", "--set", "flock.count",
     "--set flock.count: there is no '='; it must be KEY=VALUE"},
    {"an_unknown_setting_gets_a_hint", "{}", "--set", "cohesion.factor=1",
     "--set cohesion.factor=1: cohesion.factor is not a known section or key; did you mean flock.cohesion.factor?"},
    {"a_last_name_alone_is_found", "{}", "--set", "speed=[1, 2]",
     "--set speed=[1, 2]: speed is not a known section or key; did you mean flock.init.speed?"},
    {"a_setting_of_no_key_is_refused", "{}", "--set", "=1", "--set =1: \"\" is not a known section or key"},
    {"a_setting_of_nothing_is_refused", "{}", "--set",
     "flock.count=", "--set flock.count=: flock.count must be a whole number from 1 to 2147483647"},
    {"a_bare_word_is_a_text", "{}", "--set", "flock.count=many",
     "--set flock.count=many: flock.count must be a whole number from 1 to 2147483647"},
    {"a_number_in_a_setting_is_as_strict", "{}", "--set", "flock.cohesion.factor=1.",
     "--set flock.cohesion.factor=1.: flock.cohesion.factor must be a number in the form of JSON"},
    {"an_invalid_number_in_a_section_is_named_by_its_path", "{}", "--set", "flock.init={\"speed\": [NaN]}",
     "--set flock.init={\"speed\": [NaN]}: flock.init.speed[0] is NaN; it must be a number, text in double quotes, true, "
     "false or null"},
    {"a_point_without_digits_is_refused", "{}", "--set", "world.width=-.",
     "--set world.width=-.: world.width must be a number in the form of JSON"},
    {"a_fraction_of_too_many_digits_is_refused", "{}", "--set",
     "world.width=.1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"
     "1111111111111111111111111111111111",
     "--set world.width=.1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"
     "1111111111111111111111111111111111111111: world.width must be a number of at most 63 characters"},
    {"text_after_a_number_in_a_setting_is_refused", "{}", "--set", "flock.count=3 boids",
     "--set flock.count=3 boids: unexpected 'boids'; unexpected text after the JSON"},
    {"a_setting_that_ends_early_is_refused", "{}", "--set", "flock.init={\"speed\": [1",
     "--set flock.init={\"speed\": [1: the JSON ends within a list"},
    {"a_word_is_refused_for_a_section", "{}", "--set", "flock=many",
     "--set flock=many: flock must be an object"},
    {"an_unknown_key_in_a_section_that_is_set_is_refused", "{}", "--set", "flock.init={\"sped\": [1, 2]}",
     "--set flock.init={\"sped\": [1, 2]}: flock.init.sped is not a known section or key; did you mean flock.init.speed?"},
    {"a_key_twice_in_a_section_that_is_set_is_refused", "{}", "--set", "flock={\"count\": 1, \"count\": 2}",
     "--set flock={\"count\": 1, \"count\": 2}: flock.count is given twice"},
    {"a_setting_that_is_not_utf8_is_refused", "{}", "--set", "title=Z\xfcrich",
     "--set: byte 0xfc is not UTF-8"},
    {"a_seed_above_2_to_the_64_on_the_command_line_is_refused", "{}", "--seed", "seed=18446744073709551616",
     "--seed 18446744073709551616: seed must be a whole number from 0 to "
     "9007199254740992, or a string of digits up to 18446744073709551615"},
    {"a_setting_that_contradicts_the_file_names_both",
     "{\"flock\": {\"alignment\": {\n\"inner_radius\": 8}}}", "--set", "flock.alignment.radius=5",
     "--set flock.alignment.radius=5: flock.alignment.inner_radius is 8 (a.json:2); "
     "inner_radius must not exceed radius"},
    {"a_setting_that_contradicts_a_default_names_both", "{}", "--set", "world.distance=torus",
     "--set world.distance=torus: world.border is \"bounce\" (by default); only the "
     "border \"wrap\" makes a torus"},
};

static void refuses_setting(void **state)
{
    const struct setting *row = *state;
    struct config config;
    struct fault fault = {0};
    assert_true(read_text(&config, row->text, strlen(row->text), &fault));
    assert_false(config_set(&config, row->origin, row->assignment, &fault) &&
                 config_resolve(&config, &fault));
    assert_refused(&fault, row->sentence);
}

/* Valid configurations. */

static void an_empty_object_is_all_defaults(void **state)
{
    struct config read, defaults;
    (void)state;
    config_defaults(&defaults);
    resolve(&defaults);
    accept(&read, "{}");
    assert_same(&read, &defaults);
    const struct flock_model *m = &read.model;
    assert_true(read.model.seed == 1 && read.steps == 300 && config_mean_from(&read) == 150);
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

/* A configuration stays valid for a shorter run: its mean is then over no frames. */
static void a_mean_from_after_the_last_step_is_kept(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"steps\": 10, \"output\": {\"mean_from\": 11}}");
    assert_true(config.output.mean_from == 11);
}

static void whole_numbers_may_be_written_as_3_or_3e0(void **state)
{
    static const char *const spellings[] = {"300", "300.0", "3e2", "3E+2", "0.3e3", "30000e-2", "300.000e0"};
    (void)state;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct config config;
        char text[64];
        snprintf(text, sizeof text, "{\"flock\": {\"count\": %s}}", spellings[i]);
        accept(&config, text);
        assert_int_equal(config.model.boid_count, 300);
    }
}

static void zero_may_be_written_in_any_form(void **state)
{
    static const char *const spellings[] = {"0", "-0", "0.0", "-0e5", "0e99999999999999999999", "0.00e-9"};
    (void)state;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct config config;
        char text[128];
        snprintf(text, sizeof text, "{\"steps\": %s, \"flock\": {\"min_speed\": %s}}", spellings[i],
                 spellings[i]);
        accept(&config, text);
        assert_true(config.steps == 0 && config.model.min_speed == 0);
    }
}

static void steps_reach_2_to_the_53(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"steps\": 9007199254740992}");
    assert_true(config.steps == UINT64_C(9007199254740992));
    assert_true(config_mean_from(&config) == UINT64_C(4503599627370496));
}

static void a_seed_in_quotes_keeps_all_64_bits(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"seed\": \"18446744073709551615\"}");
    assert_true(config.model.seed == UINT64_MAX);
    accept(&config, "{\"seed\": \"9007199254740993\"}");
    assert_true(config.model.seed == UINT64_C(9007199254740993));
    set(&config, "seed=18446744073709551614");
    assert_true(config.model.seed == UINT64_MAX - 1);
    set(&config, "seed=\"7\"");
    assert_true(config.model.seed == 7);
}

static void null_speeds_are_nan(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"flock\": {\"min_speed\": null, \"max_speed\": null}}");
    assert_true(isnan(config.model.min_speed) && isnan(config.model.max_speed));
    assert_true(config.model.init_speed[0] == 0 && config.model.init_speed[1] == 0);
}

static void starting_speeds_follow_the_limits(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"flock\": {\"min_speed\": null, \"max_speed\": 1.5}}");
    assert_true(config.model.init_speed[0] == 0 && config.model.init_speed[1] == 1.5);
    accept(&config, "{\"flock\": {\"min_speed\": 2, \"max_speed\": null}}");
    assert_true(config.model.init_speed[0] == 2 && config.model.init_speed[1] == 2);
    accept(&config, "{\"flock\": {\"max_speed\": 4, \"init\": {\"speed\": [0.5, 9]}}}");
    assert_true(config.model.init_speed[0] == 0.5 && config.model.init_speed[1] == 9);
}

/* Lists and texts that are longer than those of `base`, and shorter ones. */
static void rewinding_puts_every_value_back(void **state)
{
    static const char *const changes[] = {"goals.points=[[1, 2], [3, 4], [5, 6]]", "obstacles.circles=[]",
                                          "schedule=[]", "title=another", "predators.turn_factor=7"};
    struct config base, config;
    (void)state;
    accept(&base, "{\"goals\": {\"points\": [[7, 8]]}, \"obstacles\": {\"circles\": [[1, 2, 3], [4, 5, 6]]},"
                  " \"schedule\": [{\"at\": 5, \"set\": {\"flock.max_speed\": 4}}]}");
    config = base;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        set(&config, changes[i]);
    config_copy_values(&config, &base);
    char *text = config_print(&config, false), *wanted = config_print(&base, false);
    assert_string_equal(text, wanted);
    free(text);
    free(wanted);
}

static void a_vector_is_two_numbers_in_any_order(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"wind\": [1.5, -2]}}");
    assert_true(config.model.world.wind[0] == 1.5 && config.model.world.wind[1] == -2);
    set(&config, "world.wind=[-3,0]");
    assert_true(config.model.world.wind[0] == -3 && config.model.world.wind[1] == 0);
}

static void a_list_of_places_is_read_printed_and_replaced(void **state)
{
    struct config config, other;
    (void)state;
    accept(&config, "{\"goals\": {\"points\": [[1.5, -2], [3, 4e3]]}}");
    assert_int_equal(config.model.goals.count, 2);
    assert_true(config.model.goals.of[0][1] == -2 && config.model.goals.of[1][1] == 4000);
    char *text = config_print(&config, false);
    assert_non_null(strstr(text, "\"points\": [[1.5, -2], [3, 4000]], \"factor\""));
    free(text);
    set(&config, "obstacles.circles=[[-1,2,3.5]]");
    assert_true(config.model.obstacles.count == 1 && config.model.obstacles.of[0][2] == 3.5);
    set(&config, "obstacles.circles=[]");
    set(&config, "goals.points=[[7, 8]]");
    accept(&other, "{\"goals\": {\"points\": [[7, 8]]}}");
    assert_true(config.model.goals.count == 1 && config_is_same(&config, &other));
    set(&config, "goals.points=[]");
    assert_int_equal(config.model.goals.count, 0);
}

static void a_list_has_at_most_1024_entries(void **state)
{
    static char text[10 * 1024 + 100];
    struct fault fault = {0};
    struct config config;
    (void)state;
    strcpy(text, "{\"goals\": {\"points\": [[1, 2]");
    for (int i = 1; i < 1024; i++)
        strcat(text, ",[1, 2]");
    strcat(text, "]}}");
    accept(&config, text);
    assert_int_equal(config.model.goals.count, 1024);
    strcpy(text + strlen(text) - 3, ",[1, 2]]}}");
    assert_false(read_text(&config, text, strlen(text), &fault));
    assert_refused(&fault, "a.json:1: goals.points has 1025 entries; it must have at most 1024");
}

static void predator_speeds_default_to_those_of_the_flock(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"predators\": {\"min_speed\": null, \"max_speed\": 7.5}}");
    const struct flock_model *m = &config.model;
    assert_true(m->predator_min_speed.is_own && isnan(m->predator_min_speed.speed));
    assert_true(m->predator_max_speed.is_own && m->predator_max_speed.speed == 7.5);
    set(&config, "predators.max_speed=flock");
    set(&config, "predators.min_speed=\"flock\"");
    assert_false(m->predator_min_speed.is_own || m->predator_max_speed.is_own);
    char *text = config_print(&config, false);
    assert_non_null(strstr(text, "\"min_speed\": \"flock\", \"max_speed\": \"flock\"}, \"obstacles\""));
    free(text);
}

static void a_wrapped_world_is_a_torus_by_default(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"border\": \"wrap\"}}");
    assert_int_equal(config.model.world.distance, FLOCK_TORUS);
    accept(&config, "{\"world\": {\"border\": \"wrap\", \"distance\": \"plane\"}}");
    assert_int_equal(config.model.world.distance, FLOCK_PLANE);
}

static void assert_margin(const struct config *config, double left, double right, double top, double bottom)
{
    const struct flock_margin *margin = &config->model.world.margin;
    assert_true(margin->left == left && margin->right == right && margin->top == top &&
                margin->bottom == bottom);
}

static void a_margin_is_one_number_or_four(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"margin\": 7}}");
    assert_margin(&config, 7, 7, 7, 7);
    accept(&config, "{\"world\": {\"margin\": {\"left\": 1, \"bottom\": 4}}}");
    assert_margin(&config, 1, 0, 0, 4);
    accept(&config, "{\"world\": {\"margin\": {}}}");
    assert_margin(&config, 0, 0, 0, 0);
}

static void setting_one_side_of_a_margin_leaves_the_others(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"margin\": 7}}");
    set(&config, "world.margin.left=5");
    assert_margin(&config, 5, 7, 7, 7);
    set(&config, "world.margin={\"top\": 3}");
    assert_margin(&config, 0, 0, 3, 0);
    set(&config, "world={\"margin\": 2}");
    assert_margin(&config, 2, 2, 2, 2);
}

static void a_later_setting_wins_over_the_file_and_over_earlier_ones(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"flock\": {\"count\": 5, \"max_speed\": 9}}");
    set(&config, "flock.count=6");
    set(&config, "flock.count=7");
    assert_int_equal(config.model.boid_count, 7);
    assert_true(config.model.max_speed == 9);
}

static void settings_take_bare_words_null_and_sections(void **state)
{
    struct config config;
    (void)state;
    config_defaults(&config);
    set(&config, "update=passes");
    set(&config, "integrator=\"explicit\"");
    set(&config, "title=hello world");
    set(&config, "flock.max_speed=null");
    set(&config, "flock.init={\"speed\":[1,2]}");
    set(&config, "flock.init.file=run=1.csv");
    assert_int_equal(config.model.update, FLOCK_PASSES);
    assert_int_equal(config.model.integrator, FLOCK_EXPLICIT);
    assert_string_equal(config.title, "hello world");
    assert_true(isnan(config.model.max_speed));
    assert_true(config.model.init_speed[0] == 1 && config.model.init_speed[1] == 2);
    assert_string_equal(config.init_file, "run=1.csv");
}

static void a_number_that_is_set_needs_no_zero_before_its_point(void **state)
{
    struct config config;
    (void)state;
    config_defaults(&config);
    set(&config, "flock.cohesion.factor=.5");
    set(&config, "flock.alignment.factor=-.25e1");
    set(&config, "title=.5");
    assert_true(config.model.cohesion.factor == 0.5 && config.model.alignment.factor == -2.5);
    assert_string_equal(config.title, ".5");
}

static void a_title_may_look_like_any_json_value(void **state)
{
    static const char *const titles[] = {"2024", "true", "null", "{", "it's", ""};
    struct config config;
    (void)state;
    config_defaults(&config);
    for (size_t i = 0; i < COUNT(titles); i++) {
        char assignment[32];
        snprintf(assignment, sizeof assignment, "title=%s", titles[i]);
        set(&config, assignment);
        assert_string_equal(config.title, titles[i]);
    }
    set(&config, "title=\"say \\\"hi\\\"\\n\"");
    assert_string_equal(config.title, "say \"hi\"\n");
}

static void keys_that_are_not_in_use_are_accepted(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"border\": \"open\", \"margin\": 3, \"wrap_to\": \"edge\"},"
                    " \"flock\": {\"max_force\": 2}, \"predators\": {\"radius\": 5}}");
    assert_true(config.model.max_force == 2);
}

static void placement_is_not_checked_if_the_state_comes_from_a_file(void **state)
{
    struct config config;
    (void)state;
    accept(&config,
           "{\"flock\": {\"count\": 2147483647, \"init\": {\"file\": \"start.csv\", \"speed\": [-1, 1]}},"
           " \"predators\": {\"count\": 9}}");
    assert_string_equal(config.init_file, "start.csv");
}

static void fixed_point_accepts_every_number_that_it_can_store(void **state)
{
    struct config config;
    (void)state;
    accept(&config,
           "{\"arithmetic\": \"fixed\", \"world\": {\"width\": 32767.99998, \"height\": 0.0000152587890625},"
           " \"flock\": {\"min_speed\": null, \"max_speed\": 0}, \"output\": {\"flush_seconds\": 1e6}}");
    accept(&config, "{\"arithmetic\": \"float64\", \"world\": {\"width\": 1e308, \"height\": 1e-308}}");
}

static void a_torus_that_is_left_by_a_setting_is_forgotten(void **state)
{
    struct config config;
    struct fault fault = {0};
    static const char text[] = "{\"world\": {\"border\": \"wrap\"}}";
    (void)state;
    assert_true(read_text(&config, text, strlen(text), &fault));
    set(&config, "world.border=open");
    resolve(&config);
    assert_int_equal(config.model.world.distance, FLOCK_PLANE);
}

/* Origins. */

static const char *origin_holding(const struct config *config, const char *text)
{
    for (size_t k = 0; k < CONFIG_KEY_LIMIT; k++)
        if (strcmp(config->origins[k].text, text) == 0)
            return config->origins[k].text;
    return NULL;
}

static void every_value_has_its_source(void **state)
{
    struct config config;
    size_t given = 0;
    (void)state;
    accept(&config, "{\n\"seed\": 2,\n\"flock\": {\n\"count\":\n5}}");
    set(&config, "flock.max_speed=9");
    assert_non_null(origin_holding(&config, "a.json:2"));
    assert_non_null(origin_holding(&config, "a.json:4"));
    assert_non_null(origin_holding(&config, "--set flock.max_speed=9"));
    for (size_t k = 0; k < CONFIG_KEY_LIMIT; k++)
        given += config.origins[k].text[0] != '\0';
    assert_int_equal(given, 3);
}

static void an_origin_that_is_too_long_is_shortened(void **state)
{
    static char assignment[2000];
    struct config config;
    struct fault fault = {0};
    (void)state;
    config_defaults(&config);
    memset(assignment, 'x', sizeof assignment - 1);
    memcpy(assignment, "title=", 6);
    assert_false(config_set(&config, "--set", assignment, &fault));
    assert_int_equal(strlen(fault.sentence), CONFIG_ORIGIN_SIZE - 1 +
                                                 strlen(": title is 1993 bytes long; it must be "
                                                        "at most 1023"));
    assert_non_null(strstr(fault.sentence, "xxx...: title is 1993 bytes long; it must be at most 1023"));
}

/* Files. */

static void a_missing_file_is_refused(void **state)
{
    struct config config;
    struct fault fault = {0};
    (void)state;
    config_defaults(&config);
    assert_false(config_read(&config, "no/such.json", &fault));
    assert_refused(&fault, "no/such.json: there is no such file");
}

static void a_folder_cannot_be_read(void **state)
{
    struct config config;
    struct fault fault = {0};
    (void)state;
    config_defaults(&config);
    assert_false(config_read(&config, ".", &fault));
    assert_string_equal(fault.sentence, ".: cannot be read: Is a directory");
    assert_int_equal(fault.status, FAULT_FAILED);
}

static void a_file_without_end_is_refused(void **state)
{
    struct config config;
    struct fault fault = {0};
    (void)state;
    config_defaults(&config);
    assert_false(config_read(&config, "/dev/zero", &fault));
    assert_refused(&fault, "/dev/zero: it is larger than 1 MiB, so it is not a configuration");
}

static void a_file_of_1_mib_is_read(void **state)
{
    static char text[(1 << 20) + 1];
    struct config config;
    struct fault fault = {0};
    (void)state;
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    assert_true(read_text(&config, text, 1 << 20, &fault));
    assert_false(read_text(&config, text, sizeof text, &fault));
    assert_refused(&fault, "a.json: it is larger than 1 MiB, so it is not a configuration");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    static const char text[] = "\xEF\xBB\xBF{\"steps\": 7}";
    struct config config;
    struct fault fault = {0};
    (void)state;
    assert_true(read_text(&config, text, sizeof text - 1, &fault));
    assert_int_equal(config.steps, 7);
}

static void a_mib_of_brackets_is_nested_too_deep(void **state)
{
    static char text[1 << 20];
    struct config config;
    struct fault fault = {0};
    (void)state;
    memset(text, '[', sizeof text);
    assert_false(read_text(&config, text, sizeof text, &fault));
    assert_refused(&fault, "a.json:1:65: more than 64 nested objects and lists");
}

static void a_mib_of_numbers_is_refused_at_once(void **state)
{
    static char text[1 << 20];
    struct config config;
    struct fault fault = {0};
    (void)state;
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text, "{\"flock\":[", 10);
    memcpy(text + sizeof text - 4, "11]}", 4);
    assert_false(read_text(&config, text, sizeof text, &fault));
    assert_refused(&fault,
                   "a.json:1: flock is [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1...; it must be an object");
}

static void a_nul_byte_is_refused(void **state)
{
    static const char inside[] = "{\n\"seed\": 1\0}", behind[] = "{}\0";
    struct config config;
    struct fault first = {0}, second = {0};
    (void)state;
    assert_false(read_text(&config, inside, sizeof inside - 1, &first));
    assert_refused(&first, "a.json:2:10: a NUL byte; save the file as UTF-8 text");
    assert_false(read_text(&config, behind, sizeof behind - 1, &second));
    assert_refused(&second, "a.json:1:3: a NUL byte; save the file as UTF-8 text");
}

static void a_path_that_is_too_long_is_refused_by_its_end(void **state)
{
    static char path[CONFIG_PATH_SIZE + 1];
    struct config config;
    struct fault fault = {0};
    (void)state;
    config_defaults(&config);
    memset(path, 'p', CONFIG_PATH_SIZE);
    assert_false(config_read(&config, path, &fault));
    assert_int_equal(fault.status, FAULT_REFUSED);
    assert_non_null(strstr(fault.sentence, "ppp: the path is 4096 bytes long; it must be at most 4095"));
}

static void a_title_of_1024_bytes_is_refused(void **state)
{
    char text[1100] = "{\"title\": \"";
    struct config config;
    struct fault fault = {0};
    (void)state;
    size_t begin = strlen(text);
    memset(text + begin, 't', 1024);
    memcpy(text + begin + 1024, "\"}", 3);
    assert_false(read_text(&config, text, strlen(text), &fault));
    assert_refused(&fault, "a.json:1: title is 1024 bytes long; it must be at most 1023");
    memcpy(text + begin + 1023, "\"}", 3);
    accept(&config, text);
    assert_int_equal(strlen(config.title), 1023);
}

static void standard_input_is_read_and_named(void **state)
{
    static const char text[] = "{\n\"seed\": -1}";
    struct config config;
    struct fault fault = {0};
    (void)state;
    write_file("a.json", text, strlen(text));
    assert_non_null(freopen("a.json", "rb", stdin));
    config_defaults(&config);
    assert_false(config_read(&config, "-", &fault));
    assert_int_equal(strncmp(fault.sentence, "standard input:2: seed is -1; ", 30), 0);
    assert_string_equal(config.path, "-");
}

static void a_path_is_printed_on_one_line(void **state)
{
    struct config config;
    struct fault fault = {0};
    (void)state;
    write_file("new\nline.json", "{", 1);
    config_defaults(&config);
    assert_false(config_read(&config, "new\nline.json", &fault));
    assert_refused(&fault, "new?line.json:1:2: the JSON ends within an object");
    assert_int_equal(remove("new\nline.json"), 0);
}

/* Initial states. */

static void read_in_folder(struct config *config, const char *text)
{
    struct fault fault = {0};
    mkdir("sub", 0777);
    write_file("sub/b.json", text, strlen(text));
    config_defaults(config);
    assert_true(config_read(config, "./sub/b.json", &fault));
}

static void an_init_file_is_in_the_folder_of_the_configuration(void **state)
{
    struct config config;
    (void)state;
    read_in_folder(&config, "{\"flock\": {\"init\": {\"file\": \"start.csv\"}}}");
    resolve(&config);
    assert_string_equal(config.init_file, "./sub/start.csv");
    read_in_folder(&config, "{}");
    set(&config, "flock.init.file=../start.csv");
    resolve(&config);
    assert_string_equal(config.init_file, "../start.csv");
}

static void an_absolute_init_file_stays(void **state)
{
    struct config config;
    (void)state;
    read_in_folder(&config, "{\"flock\": {\"init\": {\"file\": \"/data/start.csv\"}}}");
    resolve(&config);
    assert_string_equal(config.init_file, "/data/start.csv");
}

static void an_init_file_of_a_configuration_without_a_file_is_unchanged(void **state)
{
    struct config config;
    (void)state;
    config_defaults(&config);
    set(&config, "flock.init.file=start.csv");
    resolve(&config);
    assert_string_equal(config.init_file, "start.csv");
}

static void an_init_option_is_meant_from_here(void **state)
{
    struct config config;
    struct fault fault = {0};
    (void)state;
    read_in_folder(&config, "{\"flock\": {\"init\": {\"file\": \"start.csv\"}}}");
    assert_true(config_set_init(&config, "other.h5@20", &fault));
    resolve(&config);
    assert_string_equal(config.init_file, "other.h5@20");
}

static void an_init_option_needs_a_path_of_utf8(void **state)
{
    struct config config;
    struct fault empty = {0}, latin = {0};
    (void)state;
    config_defaults(&config);
    assert_false(config_set_init(&config, "", &empty));
    assert_refused(&empty, "--init: the path is 0 bytes long; it must be from 1 to 4095");
    assert_false(config_set_init(&config, "Z\xfcrich.csv", &latin));
    assert_refused(&latin, "--init: the path is not UTF-8");
}

static void an_init_file_too_far_away_is_refused(void **state)
{
    static char text[CONFIG_PATH_SIZE + 100] = "{\"flock\": {\"init\": {\"file\": \"";
    struct config config;
    struct fault fault = {0};
    size_t begin = strlen(text);
    (void)state;
    memset(text + begin, 'f', CONFIG_PATH_SIZE - 5);
    memcpy(text + begin + CONFIG_PATH_SIZE - 5, "\"}}}", 5);
    read_in_folder(&config, text);
    assert_false(config_resolve(&config, &fault));
    assert_refused(
        &fault,
        "./sub/b.json:1: the path of flock.init.file from the current folder is too long, 4097 bytes");
}

/* Printing. */

/* A configuration that is printed and read again is the same to the last bit, and so is its text. */
static void assert_prints_back(const struct config *config)
{
    for (int is_pretty = 0; is_pretty < 2; is_pretty++) {
        struct config again;
        char *text = config_print(config, is_pretty), *text_again;
        assert_non_null(text);
        accept(&again, text);
        assert_same(config, &again);
        text_again = config_print(&again, is_pretty);
        assert_string_equal(text, text_again);
        free(text);
        free(text_again);
    }
}

static void presets_print_back_to_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(presets); i++) {
        struct config config;
        accept(&config, preset_texts[i]);
        assert_prints_back(&config);
    }
}

static void odd_values_print_back_to_the_same_bits(void **state)
{
    struct config config;
    (void)state;
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

static void one_line_output_is_ascii(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"title\": \"\xc3\xa9 \xe2\x82\xac \xef\xbf\xbf \xf0\x90\x80\x80 \xf0\x9f\x90\x9d "
                    "\xf4\x8f\xbf\xbf\"}");
    char *text = config_print(&config, false);
    assert_non_null(
        strstr(text, "\"title\": \"\\u00e9 \\u20ac \\uffff \\ud800\\udc00 \\ud83d\\udc1d \\udbff\\udfff\""));
    free(text);
    text = config_print(&config, true);
    assert_non_null(strstr(text, "\"title\": \"\xc3\xa9 \xe2\x82\xac "));
    free(text);
    assert_prints_back(&config);
}

static void a_margin_of_zeros_and_negative_zeros_prints_back(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"world\": {\"margin\": {\"right\": -0.0}}}");
    assert_true(signbit(config.model.world.margin.right) && !signbit(config.model.world.margin.left));
    assert_prints_back(&config);
}

/* Doubles of random bits, from a generator with a fixed seed (xorshift). */
static void random_numbers_print_back_to_the_same_bits(void **state)
{
    uint64_t bits = UINT64_C(88172645463325252);
    struct config config;
    (void)state;
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

static void printing_shows_every_key_in_order(void **state)
{
    static const char expected[] =
        "{\n"
        "  \"title\": \"\",\n"
        "  \"seed\": 1,\n"
        "  \"steps\": 300,\n"
        "  \"arithmetic\": \"float64\",\n"
        "  \"update\": \"synchronous\",\n"
        "  \"integrator\": \"semi-implicit\",\n"
        "  \"world\": {\n"
        "    \"width\": 640,\n"
        "    \"height\": 480,\n"
        "    \"border\": \"bounce\",\n"
        "    \"margin\": { \"left\": 5, \"right\": 100, \"top\": 100, \"bottom\": 100 },\n"
        "    \"turn_factor\": 0.2,\n"
        "    \"wrap_to\": \"modulo\",\n"
        "    \"distance\": \"plane\",\n"
        "    \"wind\": [0, 0],\n"
        "    \"y_axis\": \"up\"\n"
        "  },\n"
        "  \"flock\": {\n"
        "    \"count\": 400,\n"
        "    \"min_speed\": 3,\n"
        "    \"max_speed\": 6,\n"
        "    \"speed_spread\": 0,\n"
        "    \"limit\": \"after_border\",\n"
        "    \"steering\": \"direct\",\n"
        "    \"max_force\": null,\n"
        "    \"priority\": \"none\",\n"
        "    \"max_turn\": null,\n"
        "    \"means\": \"without_self\",\n"
        "    \"inertia\": 1,\n"
        "    \"noise\": {\n"
        "      \"eta\": 0,\n"
        "      \"vector\": 0\n"
        "    },\n"
        "    \"separation\": {\n"
        "      \"radius\": 8,\n"
        "      \"factor\": 0.05,\n"
        "      \"form\": \"offset\",\n"
        "      \"view\": 360,\n"
        "      \"nearest\": null,\n"
        "      \"normalise\": \"by_form\"\n"
        "    },\n"
        "    \"alignment\": {\n"
        "      \"radius\": 40,\n"
        "      \"inner_radius\": 0,\n"
        "      \"factor\": 0.05,\n"
        "      \"form\": \"difference\",\n"
        "      \"view\": 360,\n"
        "      \"nearest\": null,\n"
        "      \"normalise\": \"by_form\"\n"
        "    },\n"
        "    \"cohesion\": {\n"
        "      \"radius\": 40,\n"
        "      \"inner_radius\": 0,\n"
        "      \"factor\": 0.0005,\n"
        "      \"view\": 360,\n"
        "      \"nearest\": null,\n"
        "      \"normalise\": \"by_form\",\n"
        "      \"form\": \"offset\"\n"
        "    },\n"
        "    \"init\": {\n"
        "      \"position\": \"uniform\",\n"
        "      \"velocity\": \"heading\",\n"
        "      \"speed\": [3, 6],\n"
        "      \"steps\": \"anew\"\n"
        "    }\n"
        "  },\n"
        "  \"predators\": {\n"
        "    \"count\": 0,\n"
        "    \"radius\": 100,\n"
        "    \"turn_factor\": 0.5,\n"
        "    \"form\": \"axes\",\n"
        "    \"hunt\": \"none\",\n"
        "    \"factor\": 0.2,\n"
        "    \"min_speed\": \"flock\",\n"
        "    \"max_speed\": \"flock\"\n"
        "  },\n"
        "  \"obstacles\": {\n"
        "    \"circles\": [],\n"
        "    \"clearance\": 5,\n"
        "    \"look_ahead\": 20,\n"
        "    \"turn_factor\": 0.5\n"
        "  },\n"
        "  \"goals\": {\n"
        "    \"points\": [],\n"
        "    \"factor\": 0.05,\n"
        "    \"form\": \"unit\",\n"
        "    \"radius\": null,\n"
        "    \"every\": 0,\n"
        "    \"direction\": null,\n"
        "    \"share\": 1\n"
        "  },\n"
        "  \"output\": {\n"
        "    \"every\": 1,\n"
        "    \"first\": 0,\n"
        "    \"observables\": true,\n"
        "    \"observables_every\": 1,\n"
        "    \"boids\": \"all\",\n"
        "    \"fields\": [\"position\", \"velocity\"],\n"
        "    \"digits\": 6,\n"
        "    \"mean_from\": null,\n"
        "    \"flush_seconds\": 1,\n"
        "    \"sync\": \"end\",\n"
        "    \"compression\": 0,\n"
        "    \"h5_dims\": 2,\n"
        "    \"precision\": \"native\"\n"
        "  },\n"
        "  \"schedule\": []\n"
        "}\n";
    struct config config;
    (void)state;
    accept(&config, "{}");
    set(&config, "world.margin.left=5");
    char *text = config_print(&config, true);
    assert_string_equal(text, expected);
    free(text);
}

static void printing_on_one_line_is_one_line(void **state)
{
    struct config config;
    (void)state;
    accept(&config, "{\"title\": \"two\\nlines\", \"flock\": {\"init\": {\"file\": \"a.csv\"}}}");
    char *text = config_print(&config, false);
    assert_null(strchr(text, '\n'));
    assert_int_equal(strncmp(text, "{\"title\": \"two\\nlines\", \"seed\": 1, ", 34), 0);
    assert_non_null(strstr(text, "\"init\": {\"position\": \"uniform\", "));
    assert_non_null(strstr(text, "\"file\": \"a.csv\", \"steps\": \"anew\"}"));
    free(text);
}

/* Explaining. */

static char *explained(const char *key, struct fault *fault)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    config_explain(out, key, fault);
    fclose(out);
    return text;
}

static void assert_explained(const char *key, const char *expected)
{
    struct fault fault = {0};
    char *text = explained(key, &fault);
    assert_int_equal(fault.status, FAULT_NONE);
    assert_string_equal(text, expected);
    free(text);
}

static void a_key_is_explained_with_bounds_and_default(void **state)
{
    (void)state;
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
                     "    First step of the averages of observables; null: half of steps.\n"
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
static void both_bounds_are_printed(void **state)
{
    char text[128];
    const struct config_key turn = {.kind = KEY_NULLABLE, .low = 0, .high = 180, .is_above_low = true};
    const struct config_key noise = {.kind = KEY_NUMBER, .low = 0, .high = 6.283185307179586};
    const struct config_key range = {.kind = KEY_PAIR, .low = 0, .high = (double)INFINITY};
    (void)state;
    config_key_expected(&turn, text, sizeof text);
    assert_string_equal(text, "a number above 0 and at most 180, or null");
    config_key_expected(&noise, text, sizeof text);
    assert_string_equal(text, "a number from 0 to 6.283185307179586");
    config_key_bounds(&noise, text, sizeof text);
    assert_string_equal(text, "from 0 to 6.283185307179586");
    config_key_expected(&range, text, sizeof text);
    assert_string_equal(text, "two numbers [a, b] of 0 or more, with a <= b");
}

static void a_section_is_explained_by_its_keys(void **state)
{
    (void)state;
    assert_explained(
        "predators",
        "predators.count               Number of predators.\n"
        "predators.radius              Boids flee from predators within this radius, in world units.\n"
        "predators.turn_factor         Change of velocity per step of a fleeing boid, in world units per step.\n"
        "predators.form                Direction of fleeing: equal changes of vx and vy (axes), or directly away from "
        "the predator (unit).\n"
        "predators.hunt                Target of predators: none, the nearest boid, or the centre of all boids.\n"
        "predators.factor              Change of velocity per step of a hunting predator, in world units per step.\n"
        "predators.min_speed           Minimum speed of predators, in world units per step; null: no limit.\n"
        "predators.max_speed           Maximum speed of predators, in world units per step; null: no limit.\n");
}

static void an_unknown_key_is_not_explained(void **state)
{
    struct fault fault = {0};
    char *text = explained("flok.count", &fault);
    (void)state;
    assert_refused(&fault, "flok.count is not a known section or key; did you mean flock.count?");
    assert_string_equal(text, "");
    free(text);
}

/* Memory. */

static int allocations_left;

static void *failing_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void running_out_of_memory_is_one_sentence(void **state)
{
    cJSON_Hooks hooks = {failing_malloc, free};
    bool is_read = false;
    (void)state;
    for (int allowed = 0; !is_read; allowed++) {
        struct config config;
        struct fault fault = {0};
        allocations_left = allowed;
        cJSON_InitHooks(&hooks);
        is_read = read_text(&config, preset_texts[0], strlen(preset_texts[0]), &fault);
        cJSON_InitHooks(NULL);
        if (!is_read)
            assert_string_equal(fault.sentence, "a.json: not enough memory to read it");
        assert_int_equal(fault.status, is_read ? FAULT_NONE : FAULT_FAILED);
        assert_true(allowed < 1000);
    }
}

/* Damage: a file with any contents is read, or refused in one line. */

static void assert_outcome(const char *text, size_t length)
{
    struct config config;
    struct fault fault = {0};
    if (read_text(&config, text, length, &fault) && config_resolve(&config, &fault)) {
        assert_int_equal(fault.status, FAULT_NONE);
        return;
    }
    assert_int_equal(fault.status, FAULT_REFUSED);
    assert_int_equal(strncmp(fault.sentence, "a.json:", 7), 0);
    assert_null(strchr(fault.sentence, '\n'));
}

static void a_preset_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(presets); i++) {
        size_t whole = strlen(preset_texts[i]) - 2; /* without "}\n" */
        for (size_t length = 0; length <= whole; length++) {
            struct config config;
            struct fault fault = {0};
            assert_false(read_text(&config, preset_texts[i], length, &fault));
            assert_int_equal(fault.status, FAULT_REFUSED);
            assert_non_null(strstr(fault.sentence, length == 0 ? "empty" : ":"));
        }
    }
}

static void a_preset_damaged_anywhere_is_read_or_refused(void **state)
{
    static const char bytes[] = {'\0', '\n', '"', '}', '[', '9', '\\', '\xff'};
    (void)state;
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

/* The presets, with the values of their sources. */

static void adams_is_as_published(void **state)
{
    struct config config;
    (void)state;
    accept(&config, preset_texts[0]);
    const struct flock_model *m = &config.model;
    assert_true(m->boid_count == 400 && m->world.width == 640 && m->world.height == 480);
    assert_true(m->world.border == FLOCK_BOUNCE && m->world.turn_factor == 0.2);
    assert_margin(&config, 100, 100, 100, 100);
    assert_true(m->min_speed == 3 && m->max_speed == 6 && m->limit == FLOCK_LIMIT_AFTER_BORDER);
    assert_true(m->separation.radius == 8 && m->separation.factor == 0.05 &&
                m->separation_form == FLOCK_OFFSET);
    assert_true(m->alignment.radius == 40 && m->alignment.inner_radius == 8 && m->alignment.factor == 0.05);
    assert_true(m->cohesion.radius == 40 && m->cohesion.inner_radius == 8 && m->cohesion.factor == 0.0005);
    assert_true(m->update == FLOCK_SEQUENTIAL && m->integrator == FLOCK_SEMI_IMPLICIT);
    assert_true(m->predator_count == 1 && m->predator_radius == 100 && m->predator_turn_factor == 0.5);
    assert_int_equal(config.y_axis, CONFIG_Y_DOWN);
}

static void bees_are_as_published(void **state)
{
    struct config config;
    (void)state;
    accept(&config, preset_texts[1]);
    const struct flock_model *m = &config.model;
    assert_true(m->boid_count == 200 && m->predator_count == 0 && m->update == FLOCK_SEQUENTIAL);
    assert_true(m->alignment.inner_radius == 0 && m->cohesion.inner_radius == 0);
    assert_true(m->separation.radius == 8 && m->alignment.radius == 40 && m->cohesion.factor == 0.0005);
    assert_int_equal(config.y_axis, CONFIG_Y_DOWN);
}

static void castor_is_as_published(void **state)
{
    struct config config;
    (void)state;
    accept(&config, preset_texts[2]);
    const struct flock_model *m = &config.model;
    assert_true(m->boid_count == 100 && m->world.width == 50 && m->world.height == 50 && config.steps == 300);
    assert_true(m->world.border == FLOCK_BOUNCE && m->world.turn_factor == 1 && m->update == FLOCK_PASSES);
    assert_margin(&config, 2, 2, 2, 2);
    assert_true(m->world.wrap_to == FLOCK_WRAP_MODULO && m->world.distance == FLOCK_PLANE);
    assert_true(isnan(m->min_speed) && m->max_speed == 1.5 && m->limit == FLOCK_LIMIT_BEFORE_BORDER);
    assert_true(m->separation.radius == 2 && m->separation.factor == 0.05 &&
                m->separation_form == FLOCK_OFFSET);
    assert_true(m->alignment.radius == 7.5 && m->alignment.factor == 0.1 && m->alignment_form == FLOCK_MEAN);
    assert_true(m->cohesion.radius == 8.5 && m->cohesion.factor == 0.03);
    assert_true(m->init_velocity == FLOCK_COMPONENT && m->init_speed[0] == -0.75 && m->init_speed[1] == 0.75);
    assert_int_equal(config.y_axis, CONFIG_Y_UP);
}

static void fish_are_as_published(void **state)
{
    struct config config;
    (void)state;
    accept(&config, preset_texts[3]);
    const struct flock_model *m = &config.model;
    assert_true(m->boid_count == 50 && m->world.width == 512 && m->world.height == 512);
    assert_true(m->world.border == FLOCK_WRAP && m->world.wrap_to == FLOCK_WRAP_EDGE);
    assert_true(m->world.distance == FLOCK_PLANE && m->update == FLOCK_SEQUENTIAL);
    assert_true(isnan(m->min_speed) && m->max_speed == 2);
    assert_true(m->separation.radius == 30 && m->separation.factor == 0.8 &&
                m->separation_form == FLOCK_UNIT);
    assert_true(m->alignment.radius == 50 && m->alignment.factor == 0.1 && m->alignment_form == FLOCK_MEAN);
    assert_true(m->cohesion.radius == 50 && m->cohesion.factor == 0.05);
    assert_true(m->init_velocity == FLOCK_COMPONENT && m->init_speed[0] == -1 && m->init_speed[1] == 1);
    assert_int_equal(config.y_axis, CONFIG_Y_DOWN);
}

static void p5_is_as_published(void **state)
{
    struct config config;
    (void)state;
    accept(&config, preset_texts[4]);
    const struct flock_model *m = &config.model;
    assert_true(m->boid_count == 100 && m->world.width == 640 && m->world.height == 360);
    assert_true(m->world.border == FLOCK_WRAP && m->world.wrap_to == FLOCK_WRAP_EDGE);
    assert_true(m->world.distance == FLOCK_PLANE && m->update == FLOCK_SEQUENTIAL);
    assert_true(m->integrator == FLOCK_EXPLICIT && m->steering == FLOCK_REYNOLDS && m->max_force == 0.05);
    assert_true(isnan(m->min_speed) && m->max_speed == 6);
    assert_true(m->separation.radius == 50 && m->separation.factor == 1 &&
                m->separation_form == FLOCK_INVERSE);
    assert_true(m->alignment.radius == 50 && m->alignment.factor == 1 && m->alignment_form == FLOCK_MEAN);
    assert_true(m->cohesion.radius == 100 && m->cohesion.factor == 1);
    assert_true(m->init_velocity == FLOCK_HEADING && m->init_speed[0] == 2 && m->init_speed[1] == 5);
    assert_int_equal(config.y_axis, CONFIG_Y_DOWN);
}

static const struct CMUnitTest claims[] = {
    cmocka_unit_test(an_empty_object_is_all_defaults),
    cmocka_unit_test(a_mean_from_after_the_last_step_is_kept),
    cmocka_unit_test(whole_numbers_may_be_written_as_3_or_3e0),
    cmocka_unit_test(zero_may_be_written_in_any_form),
    cmocka_unit_test(steps_reach_2_to_the_53),
    cmocka_unit_test(a_seed_in_quotes_keeps_all_64_bits),
    cmocka_unit_test(null_speeds_are_nan),
    cmocka_unit_test(starting_speeds_follow_the_limits),
    cmocka_unit_test(rewinding_puts_every_value_back),
    cmocka_unit_test(a_vector_is_two_numbers_in_any_order),
    cmocka_unit_test(a_list_of_places_is_read_printed_and_replaced),
    cmocka_unit_test(a_list_has_at_most_1024_entries),
    cmocka_unit_test(predator_speeds_default_to_those_of_the_flock),
    cmocka_unit_test(a_wrapped_world_is_a_torus_by_default),
    cmocka_unit_test(a_margin_is_one_number_or_four),
    cmocka_unit_test(setting_one_side_of_a_margin_leaves_the_others),
    cmocka_unit_test(a_later_setting_wins_over_the_file_and_over_earlier_ones),
    cmocka_unit_test(settings_take_bare_words_null_and_sections),
    cmocka_unit_test(a_number_that_is_set_needs_no_zero_before_its_point),
    cmocka_unit_test(a_title_may_look_like_any_json_value),
    cmocka_unit_test(keys_that_are_not_in_use_are_accepted),
    cmocka_unit_test(placement_is_not_checked_if_the_state_comes_from_a_file),
    cmocka_unit_test(fixed_point_accepts_every_number_that_it_can_store),
    cmocka_unit_test(a_torus_that_is_left_by_a_setting_is_forgotten),
    cmocka_unit_test(every_value_has_its_source),
    cmocka_unit_test(an_origin_that_is_too_long_is_shortened),
    cmocka_unit_test(a_missing_file_is_refused),
    cmocka_unit_test(a_folder_cannot_be_read),
    cmocka_unit_test(a_file_without_end_is_refused),
    cmocka_unit_test(a_file_of_1_mib_is_read),
    cmocka_unit_test(a_byte_order_mark_is_skipped),
    cmocka_unit_test(a_mib_of_brackets_is_nested_too_deep),
    cmocka_unit_test(a_mib_of_numbers_is_refused_at_once),
    cmocka_unit_test(a_nul_byte_is_refused),
    cmocka_unit_test(a_path_that_is_too_long_is_refused_by_its_end),
    cmocka_unit_test(a_title_of_1024_bytes_is_refused),
    cmocka_unit_test(standard_input_is_read_and_named),
    cmocka_unit_test(a_path_is_printed_on_one_line),
    cmocka_unit_test(an_init_file_is_in_the_folder_of_the_configuration),
    cmocka_unit_test(an_absolute_init_file_stays),
    cmocka_unit_test(an_init_file_of_a_configuration_without_a_file_is_unchanged),
    cmocka_unit_test(an_init_option_is_meant_from_here),
    cmocka_unit_test(an_init_option_needs_a_path_of_utf8),
    cmocka_unit_test(an_init_file_too_far_away_is_refused),
    cmocka_unit_test(presets_print_back_to_the_same_bits),
    cmocka_unit_test(odd_values_print_back_to_the_same_bits),
    cmocka_unit_test(one_line_output_is_ascii),
    cmocka_unit_test(a_margin_of_zeros_and_negative_zeros_prints_back),
    cmocka_unit_test(random_numbers_print_back_to_the_same_bits),
    cmocka_unit_test(printing_shows_every_key_in_order),
    cmocka_unit_test(printing_on_one_line_is_one_line),
    cmocka_unit_test(a_key_is_explained_with_bounds_and_default),
    cmocka_unit_test(both_bounds_are_printed),
    cmocka_unit_test(a_section_is_explained_by_its_keys),
    cmocka_unit_test(an_unknown_key_is_not_explained),
    cmocka_unit_test(running_out_of_memory_is_one_sentence),
    cmocka_unit_test(a_preset_cut_anywhere_is_refused),
    cmocka_unit_test(a_preset_damaged_anywhere_is_read_or_refused),
    cmocka_unit_test(adams_is_as_published),
    cmocka_unit_test(bees_are_as_published),
    cmocka_unit_test(castor_is_as_published),
    cmocka_unit_test(fish_are_as_published),
    cmocka_unit_test(p5_is_as_published),
};

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
    static struct CMUnitTest tests[COUNT(refusals) + COUNT(settings) + COUNT(claims)];
    char folder[] = "/tmp/boids-config-XXXXXX";
    size_t n = 0;

    if (!load_presets() || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        fprintf(stderr, "test_config runs in the project's root and needs a folder in /tmp\n");
        return 1;
    }
    for (size_t i = 0; i < COUNT(refusals); i++, n++)
        tests[n] = (struct CMUnitTest){.name = refusals[i].claim,
                                       .test_func = refuses,
                                       .initial_state = (void *)(uintptr_t)&refusals[i]};
    for (size_t i = 0; i < COUNT(settings); i++, n++)
        tests[n] = (struct CMUnitTest){.name = settings[i].claim,
                                       .test_func = refuses_setting,
                                       .initial_state = (void *)(uintptr_t)&settings[i]};
    memcpy(tests + n, claims, sizeof claims);

    int failed = cmocka_run_group_tests_name("config", tests, NULL, NULL);
    remove("a.json");
    remove("sub/b.json");
    rmdir("sub");
    if (chdir("/") == 0)
        rmdir(folder);
    for (size_t i = 0; i < COUNT(presets); i++)
        free(preset_texts[i]);
    return failed;
}

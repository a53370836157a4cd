/* --verify: the result of reading a whole trajectory, in one line. */
#include "commands.h"

#include "base/terminal_text.h"
#include "config/config.h"
#include "config/text.h"
#include "measure/measure.h"
#include "trajectory/hdf5/hdf5_api.h"

#include <inttypes.h>

/* What a file of this configuration must contain. pipeline.c gives the same description to the writers. */
static bool expect(struct expected_contents *expected, const char *text)
{
    struct error error = {0};
    struct config config;
    if (!config_read_stored(&config, "", text, &error))
        return false;
    const bool is_whole = config_writes_whole_frames(&config), is_rounded = config_rounds_frames(&config);
    const bool begins_later = config.init_steps != CONFIG_KEPT && config.output.first > 0;
    *expected = (struct expected_contents){
        .seed = config.model.seed,
        .has_observables = config.output.observables != 0,
        .is_rounded = is_rounded && is_whole,
        .has_initial = is_rounded || !is_whole || begins_later,
    };
    return true;
}

bool verify_print(const char *path, struct error *error)
{
    struct verify_report report;
    if (!trajectory_verify(&report, path, measure_names, MEASURE_COUNT, expect, error))
        return false;
    terminal_print(stdout,
                   "%s is whole: %" PRIu64 " frame%s, %" PRIu64
                   " row%s of observables and the configuration are as they were written%s\n",
                   path, report.frames, config_text_plural(report.frames), report.samples,
                   config_text_plural(report.samples),
                   report.is_closed ? "" : "; its run is still writing it, or was killed");
    return true;
}

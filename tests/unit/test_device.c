/*
 * test_device.c - what is made of nvidia-smi's answers: a made-up one stands first in PATH.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "machine/device.h"

#include <limits.h>
#include <sys/stat.h>

/* From now on nvidia-smi runs these commands. */
static void answer_by(const char *commands)
{
    char script[1024];
    snprintf(script, sizeof script, "#!/bin/sh\n%s\n", commands);
    put_file("nvidia-smi", script);
    chmod("nvidia-smi", 0777);
}

static device_state ask(bool emulated)
{
    device d;
    memset(&d, 0, sizeof d);
    d.emulated = emulated;
    return device_state_now(&d);
}

static bool is_unknown(const device_state *s)
{
    return s->sm_clock_mhz == -1 && s->sm_clock_max_mhz == -1 && s->memory_clock_max_mhz == -1 &&
           s->power_limit_w == -1 && !s->ecc[0] && !s->driver[0];
}

static void test_answers(void)
{
    answer_by("echo '1755, 1980, 3201, 699.60, Enabled, 580.65.06'");
    device_state s = ask(false);
    ok(s.sm_clock_mhz == 1755 && s.sm_clock_max_mhz == 1980 && s.memory_clock_max_mhz == 3201,
       "clocks: %d, %d, %d", s.sm_clock_mhz, s.sm_clock_max_mhz, s.memory_clock_max_mhz);
    ok(s.power_limit_w == 700, "the power limit to the nearest watt: %d", s.power_limit_w);
    is(s.ecc, "Enabled", "error correction");
    is(s.driver, "580.65.06", "the driver, without the line's end");
    s = ask(true);
    ok(is_unknown(&s), "of an emulated device nvidia-smi is not asked");

    answer_by("echo '300, [N/A], [Not Supported], [N/A], [N/A], 470.1'");
    s = ask(false);
    ok(s.sm_clock_mhz == 300 && s.sm_clock_max_mhz == -1 && s.memory_clock_max_mhz == -1 &&
           s.power_limit_w == -1 && !s.ecc[0],
       "what a card does not tell is unknown");
    is(s.driver, "470.1", "the rest is not");
}

static void test_no_answer(void)
{
    static const char *const commands[] = {"exit 9", "echo '1, 2, 3, 4, Enabled, 5'; exit 9",
                                           "echo No devices were found", "echo ,,,,,",
                                           "echo 99999999999"};
    for (size_t i = 0; i < COUNT(commands); i++) {
        answer_by(commands[i]);
        device_state s = ask(false);
        ok(is_unknown(&s), "nothing is known from `%s`", commands[i]);
    }
    answer_by("echo \"$*\" >asked");
    (void)ask(false);
    ok(strstr(get_file("asked"),
              "--query-gpu=clocks.sm,clocks.max.sm,clocks.max.memory,power.limit,"
              "ecc.mode.current,driver_version --format=csv,noheader,nounits"),
       "it is asked for what is read: %s", get_file("asked"));
}

int main(void)
{
    char path[PATH_MAX];
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("1..0 # SKIP a device has no bus to be asked by\n");
        return 0;
    }
    enter_folder();
    snprintf(path, sizeof path, "%s:%s", test_folder, getenv("PATH"));
    setenv("PATH", path, 1);
    test_answers();
    test_no_answer();
    ok(remove("nvidia-smi") == 0 && remove("asked") == 0, "the made-up files go");
    leave_folder();
    return done_testing();
}

/* Custom operators that contain a compiled program of a vendor. */
#include "input/input.h"

static const struct {
    const char *target;
    const char *vendor;
} programs[] = {
    {"tflite.custom.edgetpu_custom_op", "the Google Edge TPU"},
    {"tflite.custom.ethos_u", "an Arm Ethos-U"},
    {"tflite.custom.NeutronGraph", "an NXP eIQ Neutron NPU"},
    {"tflite.custom.vsi_npu", "a VeriSilicon NPU"},
    {"tflite.custom.DISPATCH_OP", "the accelerator that LiteRT compiled the model for"},
    {"onnx.com.microsoft.EPContext", "the accelerator of an execution provider of ONNX Runtime"},
};

const char *cli_operators_vendor(gsp_str name)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(programs); i++) {
        if (gsp_str_equal(gsp_str_of(programs[i].target), name)) {
            return programs[i].vendor;
        }
    }
    return NULL;
}

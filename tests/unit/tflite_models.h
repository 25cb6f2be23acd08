/* Models for tests and for the fuzzer: small, odd, flow, state. */
#ifndef GRAPHSPLIT_TFLITE_MODELS_H
#define GRAPHSPLIT_TFLITE_MODELS_H

#include "tests/unit/tflite_writer.h"

/* Types and operators by their numbers in the schema. */
enum {
    F32 = 0,
    I32 = 2,
    STRING = 5,
    BOOL = 6,
    I16 = 7,
    I8 = 9,
    RESOURCE = 13,
    I4 = 17,
    NEW_TYPE = 99
};
enum { IF = 92, WHILE = 93, CALL_ONCE = 103, COMPOSITE = W_SECOND + 21 };

/* ---- a small network: two layers, one with a state ---- */

static const w_code small_codes[] = {{3, NULL, 0}, {27, NULL, 0}};
static const w_tensor small_tensors[] = {
    {"in", I8, W_INTS(1, 8, 8, 3), W_INTS(-1, 8, 8, 3), W_SCALE},
    {"conv/w", I8, W_INTS(4, 3, 3, 3), W_NONE, W_SCALE | W_DATA},
    {"conv/b", I32, W_INTS(4), W_NONE, W_SCALE | W_DATA},
    {"conv/out", I8, W_INTS(1, 8, 8, 4), W_NONE, W_SCALE},
    {"svdf/state", I8, W_INTS(1, 40), W_NONE, W_SCALE | W_STATE},
    {"svdf/out", I8, W_INTS(1, 4), W_NONE, W_SCALE},
};
static const w_operator small_operators[] = {
    {0, W_INTS(0, 1, 2), W_INTS(3), 0, {0}},
    {1, W_INTS(3, 1, -1, 4, -1), W_INTS(5), 0, {0}},
};
static const w_graph small_graph[] = {
    {"main", W_LIST(small_tensors), W_INTS(0), W_INTS(5), W_LIST(small_operators)}};
static const w_signature small_signature[] = {{"serving_default", "image", 0}};
static const w_model small = {W_LIST(small_codes), W_LIST(small_graph), W_LIST(small_signature)};

/* ---- everything that is odd in one file ---- */

static const w_code odd_codes[] = {
    {32, "edgetpu-custom-op", 0},
    {32, "3d/op:x", 32},
    {127, NULL, 209},
    {127, NULL, 210},
    {49, NULL, 0},
    {0, NULL, 0},
    {48, NULL, 0},
    {32, NULL, 32},
};
static const w_tensor odd_tensors[] = {
    {"serving default:0", F32, W_INTS(2), W_NONE, 0},
    {"None", F32, W_NONE, W_NONE, 0},
    {NULL, F32, W_EMPTY, W_NONE, 0},
    {"a/b_7;fused/with", F32, W_NONE, W_NONE, W_DATA},
    {"x/b_7;other", F32, W_NONE, W_NONE, W_RANK},
    {"a//b_7", NEW_TYPE, W_INTS(3), W_NONE, 0},
    {"7\xc3\xa9\xff\xe2\x82.", I4, W_INTS(3, 3), W_NONE, W_SCALE},
    {"", STRING, W_INTS(3), W_NONE, 0},
    {";", BOOL, W_INTS(0, -1), W_INTS(5, -1), W_SCALE},
    {"state", I16, W_INTS(1), W_NONE, W_STATE | W_SCALE},
};
static const w_operator odd_operators[] = {
    {0, W_INTS(0, 9, -1), W_INTS(1), 0, {0}},
    {1, W_INTS(3, 4), W_INTS(2), 0, {0}},
    {2, W_INTS(-1, 5), W_INTS(5), 0, {0}},
    {3, W_INTS(6), W_NONE, 0, {0}},
    {4, W_INTS(5, 7), W_INTS(1, 5, 6, 8, -1), 0, {0}},
    {5, W_NONE, W_INTS(7), 0, {0}},
    {6, W_INTS(1), W_INTS(-1), 0, {0}},
    {7, W_INTS(2, 9), W_INTS(3), 0, {0}},
};
static const w_graph odd_graph[] = {
    {NULL, W_LIST(odd_tensors), W_INTS(0, 0), W_INTS(8, -1, 4), W_LIST(odd_operators)}};
static const w_model odd = {W_LIST(odd_codes), W_LIST(odd_graph), NULL, 0};

/* ---- control flow: child graphs ---- */

static const w_code flow_codes[] = {
    {118, NULL, 0}, {119, NULL, 0}, {127, NULL, 129}, {127, NULL, 206}, {0, NULL, 0}};
static const w_tensor flow_tensors[] = {
    {"p", BOOL, W_EMPTY, W_NONE, W_RANK},
    {"x", F32, W_INTS(4), W_NONE, 0},
    {"y", F32, W_INTS(4), W_NONE, 0},
};
static const w_operator flow_operators[] = {
    {2, W_EMPTY, W_EMPTY, CALL_ONCE, {5}},
    {0, W_INTS(0, 1), W_INTS(2), IF, {1, 2}},
    {1, W_INTS(2), W_INTS(1), WHILE, {3, 4}},
    {3, W_INTS(1), W_INTS(2), COMPOSITE, {0, 1}},
};
static const w_operator branch_operators[] = {{4, W_INTS(1, 1), W_INTS(2), 0, {0}}};
#define BRANCH(name) \
    { \
        name, W_LIST(flow_tensors), W_INTS(1), W_INTS(2), W_LIST(branch_operators) \
    }
static const w_graph flow_graphs[] = {
    {"whatever", W_LIST(flow_tensors), W_INTS(0, 1), W_INTS(2), W_LIST(flow_operators)},
    BRANCH("cond/true_1"),
    BRANCH("main"),
    BRANCH(NULL),
    BRANCH("cond/true_1"),
    {"init", NULL, 0, W_EMPTY, W_EMPTY, NULL, 0},
};
static const w_model flow = {W_LIST(flow_codes), W_LIST(flow_graphs), NULL, 0};

/* ---- state that two operators share, several outputs, a handle: what pieces cannot have ---- */

static const w_code state_codes[] = {
    {27, NULL, 0}, {49, NULL, 0}, {0, NULL, 0}, {127, NULL, 142}, {127, NULL, 143}};
static const w_tensor state_tensors[] = {
    {"in", F32, W_INTS(1, 4), W_NONE, 0},
    {"state", F32, W_INTS(1, 40), W_NONE, W_STATE},
    {"first", F32, W_INTS(1, 4), W_NONE, 0},
    {"second", F32, W_INTS(1, 4), W_NONE, 0},
    {"axis", I32, W_INTS(1), W_NONE, W_DATA},
    {"left", F32, W_INTS(1, 2), W_NONE, 0},
    {"right", F32, W_INTS(1, 2), W_NONE, 0},
    {"sum", F32, W_INTS(1, 2), W_NONE, 0},
    {"handle", RESOURCE, W_INTS(1), W_NONE, 0},
    {"value", F32, W_INTS(1, 2), W_NONE, 0},
};
static const w_operator state_operators[] = {
    {0, W_INTS(0, -1, -1, -1, 1), W_INTS(2), 0, {0}},
    {0, W_INTS(2, -1, -1, -1, 1), W_INTS(3), 0, {0}},
    {1, W_INTS(4, 3), W_INTS(5, 6), 0, {0}},
    {2, W_INTS(5, 6), W_INTS(7), 0, {0}},
    {3, W_EMPTY, W_INTS(8), 0, {0}},
    {4, W_INTS(8), W_INTS(9), 0, {0}},
};
static const w_graph state_graph[] = {
    {"main", W_LIST(state_tensors), W_INTS(0), W_INTS(7, 9), W_LIST(state_operators)}};
static const w_model state = {W_LIST(state_codes), W_LIST(state_graph), NULL, 0};

#endif

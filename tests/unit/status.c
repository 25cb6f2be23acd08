#include "tests/t.h"

static void test_names(void)
{
    T_STRING(gsp_status_name(GSP_OK), "OK");
    T_STRING(gsp_status_name(GSP_STATUS_NOMEM), "NOMEM");
    T_STRING(gsp_status_name(GSP_STATUS_NO_FIT), "NO_FIT");
    T_STRING(gsp_status_name(GSP_STATUS_COUNT), "?");
    T_STRING(gsp_status_name(GSP_STATUS_FORCE_U32), "?");
}

/* Every status and every detail has a sentence of its own. */
static void test_texts(void)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < GSP_STATUS_COUNT; i++) {
        T_CHECK(gsp_status_text((gsp_status)i)[0] != '\0');
        T_CHECK(gsp_status_name((gsp_status)i)[0] != '?');
    }
    for (i = 0; i < GSP_DETAIL_COUNT; i++) {
        T_CHECK(gsp_detail_text((gsp_detail)i)[0] != '\0');
        for (k = 0; k < i; k++) {
            T_CHECK(strcmp(gsp_detail_text((gsp_detail)i), gsp_detail_text((gsp_detail)k)) != 0);
        }
    }
    T_CHECK(gsp_status_text(GSP_STATUS_COUNT) != NULL);
    T_CHECK(gsp_detail_text(GSP_DETAIL_COUNT) != NULL);
}

/* A success after a failure leaves nothing of the failure behind, and NULL details are fine. */
static void test_optional(void)
{
    gsp_counts counts;
    T_EQUAL(gsp_text_count(NULL, 3u, &counts, NULL), GSP_STATUS_ARG);
    T_EQUAL(gsp_text_count("", 0u, &counts, NULL), GSP_OK);
}

void suite_unit_status(void)
{
    t_run("names", test_names);
    t_run("texts", test_texts);
    t_run("optional", test_optional);
}

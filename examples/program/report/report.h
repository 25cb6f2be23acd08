/* The page of an HTML report. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

/* A line each, NULL at the end; the line "@DATA@" is replaced by the data. */
extern const char *const report_page[];

#endif

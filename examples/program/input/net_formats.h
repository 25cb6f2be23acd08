/* The formats of partitioners as file formats of the program. */
#ifndef CLI_INPUT_NET_FORMATS_H
#define CLI_INPUT_NET_FORMATS_H

#include "core/format.h"

extern const cli_format cli_metis_format;
extern const cli_format cli_metis_long_format;
extern const cli_format cli_hmetis_format;
extern const cli_format cli_hmetis_long_format;
extern const cli_format cli_mtx_format;
extern const cli_format cli_dot_format;
extern const cli_format cli_gv_format;
extern const cli_format cli_hyperdag_format;
extern const cli_format cli_hyperdag_long_format;
extern const cli_format cli_edges_format;
extern const cli_format cli_txt_format;

#define CLI_NET_FORMATS                                                                     \
    &cli_metis_format, &cli_metis_long_format, &cli_hmetis_format, &cli_hmetis_long_format, \
        &cli_mtx_format, &cli_dot_format, &cli_gv_format, &cli_hyperdag_format,             \
        &cli_hyperdag_long_format, &cli_edges_format, &cli_txt_format

/* cli_net_settle: a .txt file is a HyperDAG, or graph text: sets session->format. */
void cli_net_settle(cli_session *s);

#endif

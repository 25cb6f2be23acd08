/* The formats of partitioners by name and ending. */
#ifndef CLI_INPUT_NET_LOAD_H
#define CLI_INPUT_NET_LOAD_H

#include "core/session.h"

typedef enum cli_net_kind {
    CLI_NET_FX, /* graph text */
    CLI_NET_METIS,
    CLI_NET_HMETIS,
    CLI_NET_MTX,
    CLI_NET_DOT,
    CLI_NET_HYPERDAG,
    CLI_NET_EDGES,
    CLI_NET_COUNT
} cli_net_kind;

#define CLI_NET_WORDS "fx|metis|hmetis|mtx|dot|hyperdag|edges"

/* cli_net_kind_of: by the ending of a path; CLI_NET_COUNT: none of them. */
cli_net_kind cli_net_kind_of(const char *path);

/* cli_net_load: session->path of this kind, not FX, into session->module. Returns an exit
 * status. */
int cli_net_load(cli_session *s, cli_net_kind kind);

#endif

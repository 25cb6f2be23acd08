/* --stages-for of `pipe`: the stages as other trainers take them. */
#ifndef CLI_COMMANDS_PIPE_HAND_OVER_H
#define CLI_COMMANDS_PIPE_HAND_OVER_H

#include "commands/pipe/facts.h"

/* pipe_hand_over: torch: the split spec of torch.distributed.pipelining, a Python dict. megatron:
 * the layout string of Megatron-LM. deepspeed: the list of the first layer of every stage, and the
 * number of layers. Returns an exit status; an error names the stage that the form cannot express.
 */
int pipe_hand_over(const pipe *p, cli_buffer *out);

#endif

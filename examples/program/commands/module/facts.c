/* Names in a module that was made. */
#include "commands/module/module.h"

gsp_str module_string(const module_work *w, gsp_atom s)
{
    return gsp_module_str(&w->result.module, s);
}

gsp_str module_name(const module_work *w, uint32_t graph)
{
    return module_string(w, w->result.module.graphs[graph].name);
}

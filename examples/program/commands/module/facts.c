/* Names in a module that was made. */
#include "commands/module/facts.h"

gsp_text module_string(const module_work *w, gsp_string s)
{
    return gsp_module_string(&w->result.module, s);
}

gsp_text module_name(const module_work *w, uint32_t graph)
{
    return module_string(w, w->result.module.graphs[graph].name);
}

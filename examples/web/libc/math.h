/* Infinity, which is all that the program needs of it. */
#ifndef WEB_MATH_H
#define WEB_MATH_H

#define HUGE_VAL __builtin_huge_val()

#endif

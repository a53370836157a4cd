/** Print by semihosting: text, %lu and %08lx. */
int printf(const char *format, ...);

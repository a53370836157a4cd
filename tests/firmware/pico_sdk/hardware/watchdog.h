static inline void watchdog_update(void)
{
}

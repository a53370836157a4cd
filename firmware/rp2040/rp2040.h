/* The registers of the RP2040 that this firmware uses, with their names and sections in the datasheet. */
#ifndef RP2040_H
#define RP2040_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
/* Writing to these addresses sets or clears the bits that are 1 in the written word. */
#define SET(address)   REGISTER((address) + 0x2000u)
#define CLEAR(address) REGISTER((address) + 0x3000u)

/* Subsystem resets (2.14). */
#define RESETS_RESET       0x4000c000u
#define RESETS_RESET_DONE  0x4000c008u
#define RESETS_ADC         (1u << 0)
#define RESETS_DMA         (1u << 2)
#define RESETS_IO_BANK0    (1u << 5)
#define RESETS_PADS_BANK0  (1u << 8)
#define RESETS_PIO0        (1u << 10)
#define RESETS_PLL_SYS     (1u << 12)
#define RESETS_TIMER       (1u << 21)
#define RESETS_UART0       (1u << 22)
#define PSM_FRCE_OFF       0x40010004u
#define PSM_WDSEL          0x40010008u
#define PSM_ALL_BUT_CLOCKS 0x1fffcu
#define PSM_FRCE_OFF_PROC1 (1u << 16)

/* Clocks (2.15), crystal (2.16), PLL (2.18). */
#define XOSC_CTRL           0x40024000u
#define XOSC_STATUS         0x40024004u
#define XOSC_STARTUP        0x4002400cu
#define XOSC_CTRL_1_15MHZ   0xaa0u
#define XOSC_CTRL_ENABLE    (0xfabu << 12)
#define XOSC_STATUS_STABLE  (1u << 31)
#define CLK_REF_CTRL        0x40008030u
#define CLK_REF_SELECTED    0x40008038u
#define CLK_SYS_CTRL        0x4000803cu
#define CLK_SYS_DIV         0x40008040u
#define CLK_DIV_1           (1u << 8)
#define CLK_SYS_SELECTED    0x40008044u
#define CLK_PERI_CTRL       0x40008048u
#define CLK_PERI_ENABLE     (1u << 11)
#define CLK_ADC_CTRL        0x40008060u
#define CLK_ADC_XOSC        (1u << 11 | 3u << 5)
#define CLK_REF_SRC_XOSC    2u
#define CLK_SYS_SRC_REF     0u
#define CLK_SYS_SRC_AUX     1u
#define PLL_SYS_CS          0x40028000u
#define PLL_SYS_PWR         0x40028004u
#define PLL_SYS_FBDIV_INT   0x40028008u
#define PLL_SYS_PRIM        0x4002800cu
#define PLL_CS_LOCK         (1u << 31)
#define PLL_PWR_PD          (1u << 0)
#define PLL_PWR_POSTDIVPD   (1u << 3)
#define PLL_PWR_VCOPD       (1u << 5)
#define PLL_PRIM_POSTDIV1   16
#define PLL_PRIM_POSTDIV2   12
#define WATCHDOG_CTRL       0x40058000u
#define WATCHDOG_CTRL_ON    (1u << 30)
#define WATCHDOG_CTRL_PAUSE (7u << 24) /* pause the watchdog while a debugger has stopped a core */
#define WATCHDOG_LOAD       0x40058004u
#define WATCHDOG_REASON     0x40058008u
#define WATCHDOG_SCRATCH0   0x4005800cu
#define WATCHDOG_SCRATCH4   0x4005801cu
#define WATCHDOG_TICK       0x4005802cu
#define WATCHDOG_TICK_START (1u << 9)

/* The core's voltage (2.10). */
#define VREG        0x40064000u
#define VREG_ENABLE (1u << 0)
#define VREG_SELECT 4

/* Time: microseconds (data sheet of the RP2040, section 4.6), cycles (ARMv6-M). */
#define TIMER_TIMERAWL 0x40054028u
#define SYST_CSR       0xe000e010u
#define SYST_RVR       0xe000e014u
#define SYST_CVR       0xe000e018u

/* Memory protection unit of each core (ARMv6-M B3.5): a region without access, of 2^(SIZE + 1) bytes. */
#define MPU_CTRL               0xe000ed94u
#define MPU_RBAR               0xe000ed9cu
#define MPU_RASR               0xe000eda0u
#define MPU_CTRL_ENABLE        (1u << 0)
#define MPU_CTRL_PRIVDEFENA    (1u << 2)
#define MPU_RBAR_VALID         (1u << 4)
#define MPU_RASR_ENABLE        (1u << 0)
#define MPU_RASR_SIZE(bits)    (((uint32_t)(bits)-1) << 1)
#define MPU_RASR_EXECUTE_NEVER (1u << 28)

/* Pins (2.19). */
#define IO_BANK0_GPIO_CTRL(pin) (0x40014004u + 8u * (pin))
#define PADS_BANK0_GPIO(pin)    (0x4001c004u + 4u * (pin))
#define PADS_INPUT_PULLED_UP    0x5au
#define PADS_ANALOGUE           0x80u
#define GPIO_FUNC_UART          2u
#define GPIO_FUNC_SIO           5u
#define GPIO_FUNC_PIO0          6u

/* ADC (4.9): channel 0 is GPIO26. */
#define ADC_CS            0x4004c000u
#define ADC_RESULT        0x4004c004u
#define ADC_CS_EN         (1u << 0)
#define ADC_CS_START_MANY (1u << 3)
#define ADC_CS_READY      (1u << 8)

/* UART0 (4.2). */
#define UART0_UARTDR        0x40034000u
#define UART0_UARTFR        0x40034018u
#define UART0_UARTIBRD      0x40034024u
#define UART0_UARTFBRD      0x40034028u
#define UART0_UARTLCR_H     0x4003402cu
#define UART0_UARTCR        0x40034030u
#define UART0_UARTDMACR     0x40034048u
#define UARTLCR_H_8N1_FIFOS 0x70u
#define UARTCR_UARTEN_TXRX  0x301u
#define UARTFR_RXFE         (1u << 4)
#define UARTDR_ERRORS       0xf00u
#define UARTDMACR_TXDMAE    2u

/* DMA (2.5). */
#define DMA_CH(n)            (0x50000000u + 0x40u * (n))
#define DMA_READ_ADDR        0x00u
#define DMA_WRITE_ADDR       0x04u
#define DMA_TRANS_COUNT      0x08u
#define DMA_CTRL_TRIG        0x0cu
#define DMA_AL1_CTRL         0x10u
#define DMA_AL3_READ_ADDR    0x3cu
#define DMA_CTRL_EN          (1u << 0)
#define DMA_CTRL_HIGH        (1u << 1)
#define DMA_CTRL_SIZE_BYTE   (0u << 2)
#define DMA_CTRL_SIZE_WORD   (2u << 2)
#define DMA_CTRL_INCR_READ   (1u << 4)
#define DMA_CTRL_CHAIN_TO(n) ((uint32_t)(n) << 11)
#define DMA_CTRL_TREQ(dreq)  ((uint32_t)(dreq) << 15)
#define DMA_CTRL_BUSY        (1u << 24)
#define DREQ_PIO0_TX(sm)     (sm)
#define DREQ_UART0_TX        20u
#define DREQ_ALWAYS          0x3fu

/* PIO0 (3.7). */
#define PIO0_CTRL             0x50200000u
#define PIO0_TXF(sm)          (0x50200010u + 4u * (sm))
#define PIO0_DBG_PADOUT       0x5020003cu
#define PIO0_INSTR_MEM(i)     (0x50200048u + 4u * (i))
#define PIO0_SM_CLKDIV(sm)    (0x502000c8u + 0x18u * (sm))
#define PIO0_SM_EXECCTRL(sm)  (0x502000ccu + 0x18u * (sm))
#define PIO0_SM_SHIFTCTRL(sm) (0x502000d0u + 0x18u * (sm))
#define PIO0_SM_INSTR(sm)     (0x502000d8u + 0x18u * (sm))
#define PIO0_SM_PINCTRL(sm)   (0x502000dcu + 0x18u * (sm))
#define PIO_CTRL_ENABLE(sms)  (sms)
#define PIO_CTRL_RESTART(sms) ((uint32_t)(sms) << 4)
#define PIO_CTRL_CLKDIV(sms)  ((uint32_t)(sms) << 8)
#define PIO_WRAP(bottom, top) ((uint32_t)(bottom) << 7 | (uint32_t)(top) << 12)
#define PIO_SHIFT_AUTOPULL    (1u << 17)
#define PIO_SHIFT_RIGHT       (1u << 18 | 1u << 19)
#define PIO_SHIFT_JOIN_TX     (1u << 30)
#define PIO_SHIFT_PULL_AT(n)  ((uint32_t)(n) << 25)
#define PIO_OUT_PINS(base, n) ((uint32_t)(base) | (uint32_t)(n) << 20)
#define PIO_SET_PINS(base, n) ((uint32_t)(base) << 5 | (uint32_t)(n) << 26)

/* The boot ROM (2.8.3): the table of its functions, and the function that finds one by its code. */
#define ROM_FUNCTIONS      0x14u
#define ROM_LOOKUP         0x18u
#define ROM_RESET_USB_BOOT ('U' | 'B' << 8)

/* The SIO (2.3): each core has its own number and mailbox to the other core; spinlocks are shared. */
#define SIO_CPUID        0xd0000000u
#define SIO_GPIO_IN      0xd0000004u
#define SIO_GPIO_OUT_SET 0xd0000014u
#define SIO_GPIO_OUT_CLR 0xd0000018u
#define SIO_GPIO_OUT_XOR 0xd000001cu
#define SIO_GPIO_OE_SET  0xd0000024u
#define SIO_FIFO_ST      0xd0000050u
#define SIO_FIFO_WR      0xd0000054u
#define SIO_FIFO_RD      0xd0000058u
#define SIO_FIFO_ST_VLD  (1u << 0)
#define SIO_FIFO_ST_RDY  (1u << 1)
#define SIO_SPINLOCK0    0xd0000100u

#endif

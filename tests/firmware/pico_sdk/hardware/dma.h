/* A stand-in for the DMA, which sends to the SPI. A transfer reads its memory as late as it can: when its end is waited for. */
#include "pico/stdlib.h"

typedef struct {
    uint size, dreq;
} dma_channel_config;
enum { DMA_SIZE_8, DMA_SIZE_16 };

int dma_claim_unused_channel(bool required);
dma_channel_config dma_channel_get_default_config(uint channel);
void channel_config_set_transfer_data_size(dma_channel_config *config, uint size);
void channel_config_set_dreq(dma_channel_config *config, uint dreq);
void dma_channel_configure(uint channel, const dma_channel_config *config, volatile void *to,
                           const volatile void *from, uint count, bool trigger);
void dma_channel_wait_for_finish_blocking(uint channel);

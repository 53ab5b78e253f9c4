/**
 * The byte that separates one Type A operation from another. The interface shows placeOrder's alone;
 * the others are invented.
 */
export const actionTags = {
  placeOrder: 7,
  modifyOrder: 8,
  cancelOrder: 9,
  chaseOrder: 10,
  placeBatch: 11,
  modifyBatch: 12,
  cancelBatch: 13,
  cancelAll: 14,
  setPositionMode: 15,
  setLeverage: 16,
  adjustIsolatedMargin: 17,
} as const

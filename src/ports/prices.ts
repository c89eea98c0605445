import type { Usage } from '../domain/lane/message.ts'

/** The prices of model calls. */
export interface Prices {
  /** True if the price of a model is known: for callers without a call to count. */
  knows(model: string): Promise<boolean>
  /**
   * The cost of a call in millionths of a dollar, for a model as the user named it. Null when the
   * price is unknown, 0 when the call is free.
   */
  cost(model: string, usage: Usage): Promise<number | null>
}

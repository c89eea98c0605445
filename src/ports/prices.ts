import type { Usage } from '../domain/lane/message.ts'

/** What model calls cost. */
export interface Prices {
  /**
   * Millionths of a dollar for a call of the model, as the user named it; null when its price is
   * not known, 0 for one that costs nothing.
   */
  cost(model: string, usage: Usage): Promise<number | null>
}

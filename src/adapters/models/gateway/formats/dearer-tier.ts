import type { Json } from '../../../../domain/json.ts'

const usual = ['auto', 'default', 'flex', 'standard', 'standard_only']

/** A faster answer costs a multiple of what the lists of prices say. Null for the usual. */
export function dearerTier(tier: Json | undefined): string | null {
  return tier === undefined || tier === null || usual.includes(String(tier)) ? null : `the service tier ${tier}`
}

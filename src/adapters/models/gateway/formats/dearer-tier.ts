import type { Json } from '../../../../domain/json.ts'

const usual = ['auto', 'default', 'flex', 'standard', 'standard_only']

/** The name of a tier that costs a multiple of the listed prices; null for the usual tiers. */
export function dearerTier(tier: Json | undefined): string | null {
  return tier === undefined || tier === null || usual.includes(String(tier)) ? null : `the service tier ${tier}`
}

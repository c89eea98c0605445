/** What the holder of a token may do on a hub. */
export type Role = 'viewer' | 'operator' | 'admin' | 'worker'

/**
 * What may be asked of a hub: reading, acting on work, the hub's own tokens and settings, and what
 * only its workers need.
 */
export type Right = 'viewer' | 'operator' | 'admin' | 'worker'

const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  admin: ['viewer', 'operator', 'admin'],
  worker: ['worker'],
}

export const roles = Object.keys(rightsOf) as readonly Role[]

export function isAllowed(role: Role, right: Right): boolean {
  return rightsOf[role].includes(right)
}

export function isRole(text: string): text is Role {
  return Object.hasOwn(rightsOf, text)
}

/**
 * Names go into logs, receipts and chats: they are letters, digits and a few signs, so that none of
 * them can look like anything else.
 */
export function isTokenName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/.test(text)
}

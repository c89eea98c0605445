/** What the holder of a token may do on a hub. */
export type Role = 'viewer' | 'operator' | 'admin' | 'worker' | 'monitor'

/** The roles that people have. */
export type PersonRole = Exclude<Role, 'worker' | 'monitor'>

/**
 * What may be asked of a hub: figures about it, reading, acting on work, and the hub's own tokens
 * and settings.
 */
export type Right = 'monitor' | PersonRole

/**
 * A worker takes work by its own door; it may ask for nothing else. What watches a hub reads no
 * code.
 */
export const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['monitor', 'viewer'],
  operator: ['monitor', 'viewer', 'operator'],
  admin: ['monitor', 'viewer', 'operator', 'admin'],
  worker: [],
  monitor: ['monitor'],
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

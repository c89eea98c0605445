/** The role of a token's holder on a hub. */
export type Role = 'viewer' | 'operator' | 'admin' | 'worker' | 'monitor'

/** The roles that people can have. */
export type PersonRole = Exclude<Role, 'worker' | 'monitor'>

/**
 * Kinds of requests to a hub: metrics, reading, acting on work, managing tokens and settings, and
 * requests that only workers make.
 */
export type Right = 'monitor' | PersonRole | 'worker'

/** The rights of each role. A monitor reads no code. */
export const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['monitor', 'viewer'],
  operator: ['monitor', 'viewer', 'operator'],
  admin: ['monitor', 'viewer', 'operator', 'admin'],
  worker: ['worker'],
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
 * Token names have only letters, digits and a few signs, since they go into logs, receipts and
 * chats, where none may look like anything else.
 */
export function isTokenName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/.test(text)
}

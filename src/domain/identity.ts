/** The author of a commit. */
export interface Identity {
  readonly name: string
  readonly email: string
}

/** Reads `Name <email>`; null for anything that git would read or write differently. */
export function parseIdentity(text: string): Identity | null {
  const [, name, email] = /^([^<>\p{C}\p{Zl}\p{Zp}]+) <([^<>\s\p{C}]+@[^<>\s\p{C}]+)>$/u.exec(text) ?? []
  return name === undefined || email === undefined || name !== name.trim() ? null : { name, email }
}

import type { PersonRole } from './role.ts'

/** The signed claims of an OpenID provider about a person, unchanged. */
export type Claims = Readonly<Record<string, unknown>>

/** The people that a rule selects. One match is enough. */
interface PersonRule {
  readonly groups: readonly string[]
  readonly emails: readonly string[]
  readonly subjects: readonly string[]
}

/** The rules for the rights of a provider's people on a hub. */
export interface PersonRules {
  readonly roles: Readonly<Record<PersonRole, PersonRule>>
  /** The role of anybody whom no rule selects. */
  readonly otherwise: PersonRole | 'nobody'
  /** People of any other domain get no role, whatever the rules say. Empty for no such limit. */
  readonly allowedEmailDomains: readonly string[]
  readonly allowedSubjects: readonly string[]
  readonly groupsClaim: string
  /** The claim with people's names; null to use their verified email. */
  readonly nameClaim: string | null
}

/** A person known to a provider. */
export interface Person {
  /** Contains a sign that token names cannot have, so that it is never the name of a token. */
  readonly name: string
  /** Null for a person without access. */
  readonly role: PersonRole | null
}

const strongestFirst = ['admin', 'operator', 'viewer'] as const satisfies readonly PersonRole[]

/** A subject at the provider. `digest` replaces one that is long or has unusual signs. */
interface Subject {
  readonly subject: string
  readonly digest: string
}

/**
 * The person described by claims. `subject` identifies a person at the provider permanently. Emails
 * can be forged or reassigned, so one counts only when the provider says that it is verified.
 */
export function personOf(of: Subject, claims: Claims, rules: PersonRules): Person {
  const { subject } = of
  const email = verifiedEmail(claims)
  const groups = textsIn(claims[rules.groupsClaim])
  const isNamed = (named: PersonRule) =>
    named.subjects.includes(subject) ||
    named.groups.some((group) => groups.includes(group)) ||
    (email !== null && named.emails.some((each) => each.toLowerCase() === email))
  const found = strongestFirst.find((role) => isNamed(rules.roles[role])) ?? rules.otherwise
  const isOutside = !isAllowed({ subject, email }, rules)
  return { name: nameOf(of, claims, rules), role: isOutside || found === 'nobody' ? null : found }
}

function isAllowed(
  { subject, email }: { readonly subject: string; readonly email: string | null },
  { allowedEmailDomains, allowedSubjects }: PersonRules,
): boolean {
  if (allowedEmailDomains.length + allowedSubjects.length === 0) return true
  const domain = email?.slice(email.lastIndexOf('@') + 1)
  return allowedSubjects.includes(subject) || allowedEmailDomains.some((each) => each.toLowerCase() === domain)
}

function nameOf({ subject, digest }: Subject, claims: Claims, { nameClaim }: PersonRules): string {
  if (nameClaim === null) {
    const email = verifiedEmail(claims)
    if (email !== null) return email
  } else {
    const given = claims[nameClaim]
    const named = typeof given === 'string' ? given.toLowerCase() : ''
    if (isPlain(named)) return `oidc:${named}`
  }
  // Subjects are case-sensitive, and names are not.
  return isPlain(subject) ? `oidc:sub:${subject}` : `oidc:digest:${digest}`
}

/** The claims that the rules use. */
export function claimsIn({ roles, groupsClaim, nameClaim, ...bounds }: PersonRules): readonly string[] {
  const every = Object.values(roles)
  const looksAtGroups = every.some(({ groups }) => groups.length > 0)
  const looksAtEmail =
    nameClaim === null || bounds.allowedEmailDomains.length > 0 || every.some(({ emails }) => emails.length > 0)
  return [
    ...(looksAtGroups ? [groupsClaim] : []),
    ...(looksAtEmail ? ['email', 'email_verified'] : []),
    ...(nameClaim === null ? [] : [nameClaim]),
  ]
}

/** True if a text can be the name of a person on a hub. */
export function isPersonName(text: string): boolean {
  return isEmail(text) || (/^oidc:(?:sub:|digest:)?/.test(text) && isPlain(text.replace(/^oidc:(?:sub:|digest:)?/, '')))
}

/** Names go into logs, receipts and chats, where none may look like anything else. */
function isPlain(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(text)
}

function isEmail(text: string): boolean {
  return text.length <= 100 && /^[a-z0-9][a-z0-9._+-]*@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(text)
}

function verifiedEmail({ email, email_verified }: Claims): string | null {
  if (email_verified !== true || typeof email !== 'string') return null
  const lower = email.toLowerCase()
  return isEmail(lower) ? lower : null
}

function textsIn(claim: unknown): readonly string[] {
  return (Array.isArray(claim) ? claim : [claim]).filter((each): each is string => typeof each === 'string')
}

import type { PersonRole } from './role.ts'

/** What an OpenID provider has said of somebody, signed, as it came. */
export type Claims = Readonly<Record<string, unknown>>

/** Whom a rule means. One of them is enough. */
interface Named {
  readonly groups: readonly string[]
  readonly emails: readonly string[]
  readonly subjects: readonly string[]
}

/** Who of the people of a provider may do what on a hub. */
export interface PersonRules {
  readonly roles: Readonly<Record<PersonRole, Named>>
  /** The role of whoever no rule names. */
  readonly otherwise: PersonRole | 'nobody'
  /** Others are nobody, whatever a rule says of them. Both empty for no such bound. */
  readonly allowedEmailDomains: readonly string[]
  readonly allowedSubjects: readonly string[]
  readonly groupsClaim: string
  /** Holds the names of people; null for their verified email. */
  readonly nameClaim: string | null
}

/** Somebody whom a provider knows. */
export interface Person {
  /** Never the name of a token: it has a sign in it that no such name has. */
  readonly name: string
  /** Null for nobody. */
  readonly role: PersonRole | null
}

const strongestFirst = ['admin', 'operator', 'viewer'] as const satisfies readonly PersonRole[]

/** Somebody at the provider. `digest` stands for a subject that is long or has odd signs. */
interface Subject {
  readonly subject: string
  readonly digest: string
}

/**
 * The person that claims are about. `subject` names somebody at the provider for good; emails can
 * be made up and move on, so one counts only when the provider says that it has verified it.
 */
export function personOf(of: Subject, claims: Claims, rules: PersonRules): Person {
  const { subject } = of
  const email = verifiedEmail(claims)
  const groups = textsIn(claims[rules.groupsClaim])
  const isNamed = (named: Named) =>
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
  // Upper and lower case tell subjects apart, and names have only one of them.
  return isPlain(subject) ? `oidc:sub:${subject}` : `oidc:digest:${digest}`
}

/** The claims that rules look at. */
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

/** Whether a text can be the name of a person on a hub. */
export function isPersonName(text: string): boolean {
  return isEmail(text) || (/^oidc:(?:sub:|digest:)?/.test(text) && isPlain(text.replace(/^oidc:(?:sub:|digest:)?/, '')))
}

/** Names go into logs, receipts and chats: nothing in them looks like anything else. */
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

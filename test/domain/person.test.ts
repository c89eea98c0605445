import { expect, test } from 'vitest'
import { claimsIn, type PersonRules } from '../../src/domain/hub/person.ts'

const nobody = { groups: [], emails: [], subjects: [] }
const rules: PersonRules = {
  roles: { admin: nobody, operator: nobody, viewer: nobody },
  otherwise: 'nobody',
  allowedEmailDomains: [],
  allowedSubjects: [],
  groupsClaim: 'teams',
  nameClaim: 'login',
}

test.each<[string, Partial<PersonRules>, readonly string[]]>([
  ['a name', {}, ['login']],
  ['a verified email as the name', { nameClaim: null }, ['email', 'email_verified']],
  ['a group', { roles: { ...rules.roles, viewer: { ...nobody, groups: ['a'] } } }, ['teams', 'login']],
  [
    'an email',
    { roles: { ...rules.roles, viewer: { ...nobody, emails: ['a@b.example'] } } },
    ['email', 'email_verified', 'login'],
  ],
  ['a domain of emails', { allowedEmailDomains: ['b.example'] }, ['email', 'email_verified', 'login']],
])('a provider is asked for %s where a rule looks at it, and for nothing else', (_what, more, claims) => {
  expect(claimsIn({ ...rules, ...more })).toEqual(claims)
})

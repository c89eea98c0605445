import type { Verification } from '../../../src/api/verifications.ts'
import { plural } from '../../figures-text.ts'

type Manifest = NonNullable<Verification['manifest']>

/** What is known of the tests, and of what the change does to them. Shows nothing where no runner has named a test. */
export function GateFacts({ manifest }: { readonly manifest: Manifest }) {
  const { tests, flaky = [], pre_existing = [], failing = [], base, integrity } = manifest
  const facts = [
    tests && fact('Tests', counts(tests)),
    base && fact('On the base commit', base.tests ? counts(base.tests) : base.status, base.failing),
    failing.length > 0 && fact('Failing', plural(failing.length, 'test', 'tests'), failing),
    pre_existing.length > 0 && fact('Pre-existing', 'fails on the base commit, too', pre_existing),
    flaky.length > 0 && fact('Flaky', 'failed and passed without a change', flaky),
    integrity?.proof && fact('Without the change', proofText(integrity.proof), failingOf(integrity.proof)),
    ...(integrity?.findings ?? []).map(({ id, claim, evidence }) => fact(id, claim, evidence === '' ? [] : [evidence])),
  ].filter((each) => typeof each === 'object')
  if (facts.length === 0) return null
  return (
    <dl className="card card-body gate-facts">
      {facts.map(({ name, text, more }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {text}
            {more.length > 0 && <pre>{more.join('\n')}</pre>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function fact(name: string, text: string, more: readonly string[] = []) {
  return { name, text, more }
}

function counts({ passed, failed, skipped }: NonNullable<Manifest['tests']>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

type Proof = NonNullable<NonNullable<Manifest['integrity']>['proof']>

function proofText(proof: Proof): string {
  switch (proof.status) {
    case 'proven':
      return 'its tests fail'
    case 'not_proven':
      return 'its tests pass as well'
    case 'not_applicable':
      return `its tests were not tried: ${proof.reason}`
    default:
      throw new Error(`unknown proof ${proof satisfies never}`)
  }
}

function failingOf(proof: Proof): readonly string[] {
  return proof.status === 'proven' ? proof.failing : []
}

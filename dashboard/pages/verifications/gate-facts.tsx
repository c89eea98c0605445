import type { Verification } from '../../../src/api/verifications.ts'
import { plural } from '../../figures-text.ts'

type Manifest = NonNullable<Verification['manifest']>

interface GateFactsProps {
  readonly manifest: Manifest
  readonly assurance: Verification['assurance']
}

/**
 * The facts about the tests, and about the change's effect on them. Empty if no runner has named a
 * test.
 */
export function GateFacts({ manifest, assurance }: GateFactsProps) {
  const { also_on_base: also, allowed = [] } = manifest
  const { tests, flaky = [], pre_existing = [], failing = [], base, integrity, files = [] } = manifest
  const proof = integrity?.proof
  const facts = [
    tests && fact('Tests', counts(tests)),
    base && fact('On the base commit', base.tests ? counts(base.tests) : base.status, base.failing),
    also === 'tests' && fact('Also on the base', 'all of these also fail on the base commit'),
    also === 'step' && fact('Also on the base', 'its last step also fails on the base commit'),
    failing.length > 0 && fact('Failing', plural(failing.length, 'test', 'tests'), failing),
    pre_existing.length > 0 && fact('Pre-existing', 'also fails on the base commit', pre_existing),
    allowed.length > 0 && fact('Allowed', 'fails on the base commit and is allowed to fail', allowed),
    flaky.length > 0 && fact('Flaky', 'failed and passed without a change', flaky),
    proof && fact('Without the change', proofText(proof), failingOf(proof)),
    passingOf(proof).length > 0 && fact('New tests', 'also pass without the change', passingOf(proof)),
    ...assurance.map(({ name, text, more }) => fact(name, text, more)),
    files.length > 0 &&
      fact(
        'Changed',
        kindCounts(files),
        files.map(({ path, is }) => `${is.padEnd(8)}${path}`),
      ),
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

function passingOf(proof: Proof | undefined): readonly string[] {
  return proof === undefined || proof.status === 'not_applicable' ? [] : (proof.passing ?? [])
}

/** A text such as `2 source, 1 test`, with the gate's kinds of files. */
function kindCounts(files: NonNullable<Manifest['files']>): string {
  return [...Map.groupBy(files, ({ is }) => is)].map(([is, some]) => `${some.length} ${is}`).join(', ')
}

function failingOf(proof: Proof): readonly string[] {
  return proof.status === 'proven' ? proof.failing : []
}

import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect } from 'vitest'
import { type Annotation, annotationsOf } from '../../../src/app/text/ci/annotations.ts'
import { codeQuality } from '../../../src/app/text/ci/code-quality.ts'
import { junit } from '../../../src/app/text/ci/junit.ts'
import { ciSummary } from '../../../src/app/text/ci/summary.ts'
import { createCiVoice } from '../../../src/cli/commands/ci/ci-voice.ts'
import { createOutput } from '../../../src/cli/screen/output.ts'
import type { CiReport } from '../../../src/domain/ci/ci-report.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { Manifest } from '../../../src/domain/verification/verdict.ts'
import { obeyed } from '../../ci/ci-world.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const part = fc.oneof(
  fc.constantFrom(
    '::error::',
    '::stop-commands::x',
    '##[add-path]',
    '\n',
    '\r',
    '%0A',
    ',',
    ':',
    '|',
    '`',
    '```\n',
    '<b>',
    '@a',
  ),
  fc.constantFrom(
    '\u001b[0Ksection_end:1:drydock_ci\r\u001b[0K',
    ']]>',
    '&',
    '<!--',
    '](x)',
    '# ',
    '\n- ',
    '\n| --- |\n',
  ),
  nasty,
)
const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))

interface CiOutput {
  readonly printed: string
  readonly name: string
  readonly file: string
  readonly claim: string
}

/** The output of a pipeline: foreign words are shown, and never obeyed. */
export const ciOutput: FuzzTarget<CiOutput> = {
  name: 'ci-output',
  async open() {
    return {
      inputs: fc.record({ printed: text, name: text, file: text, claim: text }),
      check(said) {
        const report = reportOf(said)
        const failed = [{ id: said.name, failure: said.printed, file: said.file || null }]
        const annotations = annotationsOf(report, failed)
        const all: readonly Annotation[] = [
          ...annotations,
          { level: 'error', kind: 'raw', title: said.claim, message: said.printed, file: said.file, line: 1 },
        ]
        for (const json of [false, true]) {
          const done = obeyed(printedBy('github', json, said, all))
          expect(done.map(({ command }) => command)).toEqual(all.map(({ level }) => level))
          expect(done.at(-1)).toMatchObject({
            data: said.printed,
            properties: { title: said.claim, file: said.file },
          })
        }
        expect(printedBy('gitlab', false, said, all).split('\u001b')).toHaveLength(5)
        const summary = ciSummary(report, failed)
        expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(limits.ci.summaryBytes)
        const prose = summary
          .replaceAll(/^(`{3,})text\n.*?\n\1$/gms, '')
          .replaceAll(/(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)/g, '')
        expect(prose).not.toMatch(/[<`@\r]|::|##\[|\]\(/)
        for (const line of prose.split('\n')) expect(line.split('|').length, line).toBeOneOf([1, 4, 6, 7])
        const [entry] = JSON.parse(codeQuality(all))
        expect(entry.location.lines.begin).toBe(1)
        const xml = junit(report.verification ?? { manifest: null }, testsOf(said))
        expect(XMLValidator.validate(xml)).toBe(true)
        const suites = new XMLParser({ ignoreAttributes: false }).parse(xml).testsuites.testsuite
        expect([suites].flat()).toHaveLength(2)
      },
    }
  },
}

function printedBy(
  service: 'github' | 'gitlab',
  json: boolean,
  { printed, claim }: CiOutput,
  all: readonly Annotation[],
): string {
  let written = ''
  const stream = { write: (part: string) => (written += part) } as unknown as NodeJS.WriteStream
  const terminal = { env: {}, stdout: stream, stderr: stream }
  const { context, end } = createCiVoice({ terminal, output: createOutput(terminal, { json }) }, service)
  context.output.say(printed)
  context.output.note(claim)
  context.output.emit({ type: 'x', printed, claim })
  end(all)
  return written
}

function testsOf({ name, printed }: CiOutput) {
  const tests = [{ id: name, outcome: 'failed' as const, failure: printed }]
  return { [name]: { format: 'tap' as const, tests, complete: true, truncated: false } }
}

function reportOf({ printed, name, file, claim }: CiOutput): CiReport {
  const sha = 'a'.repeat(40)
  const step = { name, command: printed, exit_code: 1, duration_ms: 1, timed_out: false }
  const manifest = { commands_executed: [step], failing: [name], status: 'FAIL' } as unknown as Manifest
  const finding = {
    id: 'g-000000000000',
    kind: 'configuration',
    severity: 'major',
    file,
    claim,
    evidence: printed,
  } as const
  return {
    range: { base: sha, head: sha, verified: sha, how: 'It was chosen.', commits: [sha], count: 1 },
    verification: { status: 'FAIL', run_id: 'run_1', tail_log: printed, artifact_paths: null, manifest },
    conflicts: [file],
    findings: [{ ...finding, acceptedBy: null }],
    receipts: [{ commit: sha, state: 'proven', key: sha, story: name }],
    requires: { receipts: false, findings: true },
    notes: [claim],
  }
}

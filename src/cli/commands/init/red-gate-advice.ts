import { limits } from '../../../domain/limits.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'

/** Log lines that show a cause outside the code, each with advice. */
const causes: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|Temporary failure in name resolution|Network is unreachable|Could not resolve host|dial tcp: lookup/i,
    'It needs the network, which no step has. Exclude those tests in the command, or download what they need in "prepare".',
  ],
  [
    /\$'\\r'|\^M: bad interpreter|\r: (?:command )?not found|Illegal option -\s*\r/,
    'A script has Windows line endings, so a shell cannot run it. Commit it with line feeds (*.sh text eol=lf in .gitattributes).',
  ],
  [
    /(?:^|\n)(?:\/bin\/)?(?:ba)?sh: (?:line )?\d+:? ([\w.+-]+): (?:command )?not found/,
    'A program is missing in the sandbox. drydock doctor says whether this machine has it.',
  ],
]

/**
 * The reasons why the gate of an unmodified repository is red, as far as its log tells, with
 * advice; one line each.
 */
export function redGateAdvice(answer: VerifierResponse | null): readonly string[] {
  const last = answer?.manifest?.commands_executed.at(-1)
  if (answer?.status !== 'FAIL' || last === undefined) return []
  const log = answer.tail_log ?? ''
  const found = causes.filter(([pattern]) => pattern.test(log)).map(([, sentence]) => sentence)
  return [...(last.timed_out ? [tooLong(last.name)] : found), ...allowFailing(answer)]
}

function tooLong(step: string): string {
  return `The step ${step} timed out. Give it more time in the configuration, such as "timeout_sec": 1800.`
}

/** Ids of the tests that fail in the unmodified repository. */
function allowFailing({ manifest }: VerifierResponse): readonly string[] {
  const failing = manifest?.failing ?? []
  if (failing.length === 0) return []
  const count = failing.length === 1 ? '1 test fails' : `${failing.length} tests fail`
  if (failing.length > limits.report.failingTests)
    return [
      `${count} already. To allow these failures, name their ids in "verification"."allow_failing". logs/tests.json of ${manifest?.run_id} lists them.`,
    ]
  return [
    `${count} already. To let ${failing.length === 1 ? 'it' : 'them'} fail, put into "verification": "allow_failing": ${JSON.stringify(failing)}`,
  ]
}

import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { CommonOptions, Context } from '../../context.ts'
import type { Output } from '../../screen/output.ts'
import type { Screen } from '../../screen/screen.ts'
import { verify } from '../start/start.ts'
import { describeFirstGate, type FirstGate } from './describe-first-gate.ts'

/** The gate's result with one configuration. */
export interface Trial {
  readonly gate: FirstGate
  readonly exitCode: number
  /** Null if the gate was stopped first. */
  readonly answer: VerifierResponse | null
  /** Prints the output that was held back. */
  readonly tell: () => void
}

export interface GateTrialInput {
  /** The configuration file; null for the written one. */
  readonly configFile: string | null
  /** Absent for the working tree. */
  readonly commit?: string
  /** The command line that runs the gate again. */
  readonly again: string
}

/** Runs the gate once. Holds its output back, since another configuration may be tried next. */
export async function tryGate(
  context: Context,
  options: CommonOptions,
  { configFile, commit, again }: GateTrialInput,
): Promise<Trial> {
  const held = holdWords(context.output)
  let gate: FirstGate = 'not run'
  let answer: VerifierResponse | null = null
  const quiet = { ...context, output: held.output }
  try {
    const args = commit === undefined ? [] : [commit]
    const exitCode = await verify(quiet, args, { ...options, ...(configFile && { config: configFile }) }, (result) => {
      const said = describeFirstGate(result, again)
      gate = said.gate
      answer = (result.answer as VerifierResponse | null | undefined) ?? null
      held.output.say(coloured(held.output.screen, said))
    })
    return { gate, exitCode, answer, tell: held.tell }
  } catch (error) {
    held.tell()
    throw error
  }
}

/** Colours the first line by the result. */
function coloured(screen: Screen, { gate, text }: ReturnType<typeof describeFirstGate>): string {
  const [first = '', ...rest] = screen.clean(text).split('\n')
  const isBad = gate === 'red' || gate === 'empty'
  return [isBad ? screen.paint('bad', first) : first, ...rest].join('\n')
}

function holdWords(output: Output): { readonly output: Output; readonly tell: () => void } {
  const words: (() => void)[] = []
  return {
    output: {
      ...output,
      say: (text) => void words.push(() => output.say(text)),
      note: (text) => void words.push(() => output.note(text)),
    },
    tell() {
      for (const say of words.splice(0)) say()
    },
  }
}

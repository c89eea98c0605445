import { shellWord } from '../../app/text/shell-word.ts'
import type { CommonOptions } from '../context.ts'

const flags = {
  model: '--model',
  architectModel: '--architect-model',
  editorModel: '--editor-model',
  scoutModel: '--scout-model',
  target: '--target',
  config: '--config',
  sandbox: '--sandbox',
  maxCoders: '--max-coders',
  budgetUsd: '--budget-usd',
  hub: '--hub',
} as const satisfies { readonly [Name in keyof CommonOptions]: string }

/** Formats options as flags, to be appended to a command line. */
export function optionsText(options: CommonOptions): string {
  const given = Object.entries(flags).flatMap(([name, flag]) => {
    const value = options[name as keyof typeof flags]
    if (name === 'hub' && value === false) return ['--no-hub']
    return value === undefined || value === null ? [] : [`${flag} ${shellWord(String(value))}`]
  })
  const wait = options.maxWait === undefined ? [] : [`--max-wait ${options.maxWait}s`]
  const allowed = (options.allowFailing ?? []).map((test) => `--allow-failing ${shellWord(test)}`)
  return [...given, ...wait, ...allowed].map((flag) => ` ${flag}`).join('')
}

/** The options that concern the process and are not stored with a Run. */
export function processOptions({ sandbox, maxCoders, hub }: CommonOptions): CommonOptions {
  return {
    ...(sandbox !== undefined && { sandbox }),
    ...(maxCoders !== undefined && { maxCoders }),
    ...(hub !== undefined && { hub }),
  }
}

import { shellWord } from '../../../app/text/shell-word.ts'
import type { BenchOptions } from './bench-choice.ts'

/** The command line that continues a bench, for people to copy. */
export function continueLine(suite: string, options: BenchOptions, folder: string): string {
  const valued = {
    ...{ '--model': options.model, '--architect-model': options.architectModel },
    ...{ '--editor-model': options.editorModel, '--scout-model': options.scoutModel },
    ...{
      '--arms': options.arms,
      '--acceptance': options.acceptance,
      '--tasks': options.tasks,
      '--repeats': options.repeats,
      '--jobs': options.jobs,
    },
    ...{ '--play': options.play, '--sandbox': options.sandbox, '--out': folder },
  }
  const words = Object.entries(valued).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]))
  const selfTest = options.selfTest ? ['--self-test'] : []
  return ['drydock', 'bench', suite, ...selfTest, ...words, '--resume'].map(shellWord).join(' ')
}

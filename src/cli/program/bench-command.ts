import { InvalidArgumentError, Option } from 'commander'
import { limits } from '../../domain/limits.ts'
import { groups } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

/** Declares the command that measures Drydock itself. */
export function benchCommand(command: Declare): void {
  command('bench <suite>', {
    about: 'measure Drydock on a suite of tasks with hidden tests',
    more: 'A suite is a folder with a suite.json (docs/evaluation.md). Each attempt has a state and a repository of its own. Hidden tests run once the work has ended. The report goes to --out.',
    examples: [
      ['bench suite --model anthropic:claude-sonnet-5', 'each task once, in the arm of its mode'],
      ['bench suite --arms crew,task,solo --repeats 5', 'compare the crew, one editor and the bare loop'],
      ['bench suite --acceptance with,without', 'compare with and without tests that an architect writes'],
      ['bench suite --resume', 'continue; finished attempts are not repeated'],
      ['bench suite --self-test', 'check the suite without a model'],
      ['bench polyglot-benchmark --import polyglot --out suite', 'make a suite of a checkout'],
    ],
    common: ['json', ...groups.crew, 'sandbox'],
    own: [
      ['--arms <names>', 'crew, task and solo, by commas (default: by the mode of each task)'],
      new Option(
        '--acceptance <names>',
        'with, without or both, by commas: tests that an architect writes and no editor sees (default: by the configuration)',
      ).conflicts('play'),
      ['--tasks <ids>', 'only these tasks, by commas'],
      new Option('--repeats <n>', 'attempts of each task in each arm').argParser(upTo(limits.evaluation.repeats)),
      new Option('--jobs <n>', 'attempts at once').argParser(upTo(limits.evaluation.jobs)),
      ['--out <dir>', 'folder of the results (default: bench-<suite>)'],
      ['--resume', 'continue the bench in --out; its finished attempts are not repeated'],
      new Option(
        '--play <solution>',
        'play a solution of the suite in place of a model: gold, empty or a name under wrong',
      ).conflicts([...groups.crew]),
      new Option(
        '--self-test',
        'play every solution of the suite without a model, and compare with what it should come to',
      ).conflicts(['play', 'arms', 'acceptance', 'repeats', ...groups.crew]),
      new Option('--import <format>', 'make a suite of a checkout of this benchmark in --out, and measure nothing')
        .choices(['cooperbench', 'commit0', 'polyglot'])
        .conflicts(['selfTest', 'play', 'arms', 'acceptance', 'tasks', 'repeats', 'jobs', 'resume', ...groups.crew]),
      ['--repos <dir>', 'with --import: folder of the cloned repositories (default: repos in the checkout)'],
      ['--config <file>', 'with --import: configuration of every task, instead of a detected one'],
    ],
    action: late(
      () => import('../commands/bench/bench.ts'),
      ({ bench }) => bench,
    ),
  })
}

function upTo(most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (Number.isInteger(number) && number >= 1 && number <= most) return number
    throw new InvalidArgumentError(`a number from 1 to ${most}`)
  }
}

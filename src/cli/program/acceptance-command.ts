import { groups, repeatable } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

/** Declares the command about hidden tests. */
export function acceptanceCommand(command: Declare): void {
  command('acceptance [id]', {
    about: 'show the acceptance tests that an architect has written, or confirm, drop or edit them',
    more: 'The id names a run or a story; without one it is the latest task or spec. No agent that edits sees these tests. Tests that you confirm or write decide: a change that does not meet them fails.',
    examples: [
      ['acceptance', 'show criteria and tests of the latest task or spec'],
      ['acceptance parser --confirm C1 --drop C3', 'decide about two criteria of a story'],
      ['acceptance parser --edit ../mine --criterion C2', 'put your files in place of those of the same path'],
      ['acceptance parser --edit ../mine --criterion C3 --test "empty input"', 'add a test that you have written'],
    ],
    common: groups.anywhere,
    own: [
      repeatable('--confirm <criterion>', 'take its tests: from now on they decide'),
      repeatable('--drop <criterion>', 'take its tests out'),
      ['--edit <folder>', 'files that lie as they would in the repository; they count as confirmed'],
      repeatable('--criterion <id>', 'with --edit: what these files test'),
      repeatable('--test <name>', 'with --edit: the name of a test of it (default: as before)'),
      ['--old', 'with --edit: the behaviour is there already, so that the tests pass on the base'],
    ],
    action: late(
      () => import('../commands/acceptance.ts'),
      ({ acceptance }) => acceptance,
    ),
  })
}

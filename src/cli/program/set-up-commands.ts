import { type Command, Option } from 'commander'
import { groups, repeatable } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const { anywhere, crew, ground } = groups

/** The commands about the installation, the repository and the state. */
export function setUpCommands(command: Declare, program: Command): void {
  command('init', {
    about: 'write a configuration from what is there, and run the gate once',
    more: 'It looks at the build files of the repository and writes .drydock/config.json. Commit that file: the configuration is read from commits.',
    examples: [
      ['init', 'write .drydock/config.json and try it'],
      ['init --step "sh test.sh"', 'a repository without a build system: name what verifies it'],
      ['init --package app', 'one of several projects'],
      ['init --user', 'write into your own file; leave the repository untouched'],
    ],
    common: [...anywhere, 'sandbox'],
    own: [
      ['--user', 'write it into your own file and leave the repository untouched'],
      ['--no-verify', 'do not run the gate'],
      repeatable('--step <command>', 'a command that verifies, in place of what is detected'),
      ['--package <dir>', 'the folder of the project, where the repository has several'],
    ],
    action: late(
      () => import('../init/init.ts'),
      ({ init }) => init,
    ),
  })
  command('doctor', {
    about: 'what is missing, and the line that fixes it',
    more: 'Give it the options that you would give a task or a spec: it says what those would need. With --security it looks at no repository, but attacks this installation with one of its own.',
    examples: [
      ['doctor', 'what is missing here'],
      ['doctor --model openai:gpt-5', 'whether this model could be used'],
      ['doctor --security', 'try known attacks, and say what held'],
    ],
    common: [...anywhere, ...crew, ...ground],
    own: [
      new Option('--security', 'attack this installation with a hostile repository, and say what held').conflicts([
        'repo',
        ...crew,
        'target',
        'config',
      ]),
    ],
    action: late(
      () => import('../doctor/doctor.ts'),
      ({ doctor }) => doctor,
    ),
  })
  command('notify', {
    about: 'send a test notification through your hooks',
    more: 'Hooks are the webhooks and commands under "notify" in your configuration.',
    examples: [['notify --test', 'send one message that says it is a test']],
    common: anywhere,
    own: [new Option('--test', 'send them one message that says it is a test').makeOptionMandatory()],
    action: late(
      () => import('../notify.ts'),
      ({ notify }) => notify,
    ),
  })
  command('demo', {
    about: 'see it work on a sample, without a key',
    more: 'A crew builds a small spec in a temporary folder. What the model says is recorded; git, the sandbox, the tests and the merges are real.',
    examples: [
      ['demo', 'a recorded human answers its question'],
      ['demo --interactive', 'you answer it'],
    ],
    common: ['json', 'ui'],
    own: [['--interactive', 'the question of the demo waits for you, instead of for a recorded human']],
    action: late(
      () => import('../demo.ts'),
      ({ demo }) => demo,
    ),
  })
  command('gc', {
    about: 'free disk space: old artifacts, caches, history',
    more: 'What a run in progress, or a stuck report that you have not dealt with, still needs is kept.',
    examples: [['gc', 'make the state of this repository smaller']],
    common: anywhere,
    action: late(
      () => import('../tidy/gc.ts'),
      ({ gc }) => gc,
    ),
  })
  command('cleanup', {
    about: 'show what Drydock has left behind, and remove it with --yes',
    more: 'It looks for branches below drydock/ that are merged and for temporary folders that nobody uses, and does what `drydock gc` does. A branch stays that is checked out, that a run still needs, or whose commits are found nowhere else.',
    examples: [
      ['cleanup', 'show what would be removed'],
      ['cleanup --yes', 'remove it'],
      ['cleanup --unmerged', 'also show branches whose commits are found nowhere else'],
    ],
    common: anywhere,
    own: [
      ['--yes', 'remove it; without this it only shows'],
      ['--unmerged', 'also branches whose commits are found nowhere else'],
    ],
    action: late(
      () => import('../tidy/cleanup.ts'),
      ({ cleanup }) => cleanup,
    ),
  })
  command('uninstall', {
    about: 'say what Drydock has on this machine, and remove its state with --yes',
    more: 'It lists the state of every repository, the keys, the caches and the temporary folders, and says what you remove yourself: your configuration, branches, receipts and the program. With the state goes all work that is not on a branch.',
    examples: [
      ['uninstall', 'only say what there is'],
      ['uninstall --yes', 'remove state, keys, caches and temporary folders'],
    ],
    common: anywhere,
    own: [['--yes', 'remove state, keys, caches and temporary folders; without this it only says what there is']],
    action: late(
      () => import('../tidy/uninstall.ts'),
      ({ uninstall }) => uninstall,
    ),
  })
  command('completion <shell>', {
    about: 'print a script that completes commands in your shell: bash, zsh or fish',
    more: 'The script knows the commands and options of this version, and asks `drydock completion ids` for the ids of recent runs and stories.',
    examples: [
      ['completion bash >> ~/.bashrc', 'for bash'],
      ['completion zsh >> ~/.zshrc', 'for zsh'],
      ['completion fish > ~/.config/fish/completions/drydock.fish', 'for fish'],
    ],
    common: ['repo'],
    choices: { shell: ['bash', 'zsh', 'fish'] },
    action: late(
      () => import('./completion.ts'),
      ({ completionOf }) => completionOf(program),
    ),
  })
}

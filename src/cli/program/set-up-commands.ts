import { type Command, Option } from 'commander'
import { benchCommand } from './bench-command.ts'
import { groups, repeatable } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const { anywhere, crew, ground } = groups

/** Declares the commands about the installation, the repository and the state. */
export function setUpCommands(command: Declare, whole: () => Command): void {
  command('init', {
    about: 'write a configuration for this repository and try the gate with it',
    more: 'It looks at the build files of the repository and writes .drydock/config.json. Commit that file: the configuration is read from commits.',
    examples: [
      ['init', 'write .drydock/config.json and try it'],
      ['init --step "sh test.sh"', 'name the command that verifies a repository without a build system'],
      ['init --package app', 'configure one of several projects'],
      ['init --user', 'write to your own file and leave the repository untouched'],
    ],
    common: [...anywhere, 'sandbox'],
    own: [
      ['--user', 'write to your own file and leave the repository untouched'],
      ['--no-verify', 'do not run the gate'],
      repeatable('--step <command>', 'a command that verifies, instead of the detected ones'),
      ['--package <dir>', 'the folder of the project, if the repository has several'],
    ],
    action: late(
      () => import('../commands/init/init.ts'),
      ({ init }) => init,
    ),
  })
  command('doctor', {
    about: 'show what is missing, and the line that fixes it',
    more: 'Give it the options of a task or a spec to check what they need. --security attacks this installation with a hostile repository of its own; it does not look at yours.',
    examples: [
      ['doctor', 'show what is missing here'],
      ['doctor --model openai:gpt-5', 'check whether this model can be used'],
      ['doctor --for-hub https://hub.example.com', 'check whether this machine can work for a hub'],
      ['doctor --security', 'try known attacks and show which were stopped'],
    ],
    common: [...anywhere, ...crew, ...ground],
    own: [
      new Option(
        '--security',
        'attack this installation with a hostile repository and show which attacks were stopped',
      ).conflicts(['repo', ...crew, 'target', 'config']),
      new Option('--agents', 'also start each agent that is found, in a sandbox'),
      // Starts the program of an attack.
      new Option('--look-inside <dir>').hideHelp().conflicts(['security', 'agents', 'forHub', 'json']),
      new Option('--for-hub <url>', 'check what a worker of this hub needs; no repository is needed'),
    ],
    action: late(
      () => import('../commands/doctor/doctor.ts'),
      ({ doctor }) => doctor,
    ),
  })
  command('mcp-servers [what] [server] [hash]', {
    about: 'show and approve the MCP servers whose tools agents may use: list, approve or revoke',
    more: 'Servers are named under "mcp" in your configuration. `approve` starts one in its sandbox and shows its tools; with the hash that it prints, it approves exactly these. A server that changes loses its tools until you approve them again.',
    examples: [
      ['mcp-servers list', 'show which are approved'],
      ['mcp-servers approve docs', 'show the tools of a server, and their hash'],
      ['mcp-servers approve docs HASH', 'approve the tools that have the hash that was shown'],
      ['mcp-servers revoke docs', 'no agent gets its tools any more'],
    ],
    choices: { what: ['list', 'approve', 'revoke'] },
    common: [...anywhere, 'sandbox'],
    action: late(
      () => import('../commands/mcp-servers.ts'),
      ({ mcpServers }) => mcpServers,
    ),
  })
  command('notify', {
    about: 'send a test notification through your hooks',
    more: 'Hooks are the webhooks and commands under "notify" in your configuration.',
    examples: [['notify --test', 'send a test message']],
    common: anywhere,
    own: [new Option('--test', 'send a test message through every hook').makeOptionMandatory()],
    action: late(
      () => import('../commands/notify.ts'),
      ({ notify }) => notify,
    ),
  })
  command('demo', {
    about: 'watch it work on a sample, without a key',
    more: 'A crew builds a small spec in a temporary folder. The answers of the models are recorded. Git, the sandbox, the tests and the merges are real.',
    examples: [
      ['demo', 'a recorded human answers its question'],
      ['demo --interactive', 'you answer it'],
    ],
    common: ['json', 'ui'],
    own: [['--interactive', 'answer the question of the demo yourself, instead of a recorded human']],
    action: late(
      () => import('../commands/demo.ts'),
      ({ demo }) => demo,
    ),
  })
  benchCommand(command)
  command('gc', {
    about: 'free disk space: old artifacts, caches and history',
    more: 'It keeps everything that a run in progress or an open stuck report still needs.',
    examples: [['gc', 'make the state of this repository smaller']],
    common: anywhere,
    action: late(
      () => import('../commands/tidy/gc.ts'),
      ({ gc }) => gc,
    ),
  })
  command('state <what>', {
    about: 'copy the state to PostgreSQL, or back into a file',
    more: 'The state of a repository is in a file, or in a database of PostgreSQL (docs/postgresql.md). `state copy` brings the rows of this repository to the other one. No other drydock may work on the repository meanwhile. The old copy stays.',
    examples: [
      ['state copy --to postgres', 'copy it to the configured database'],
      ['state copy --to sqlite', 'copy it back into a file'],
    ],
    choices: { what: ['copy'] },
    common: anywhere,
    own: [['--to <where>', 'sqlite, postgres (the configured database), or a URL of a database']],
    action: late(
      () => import('../commands/tidy/state.ts'),
      ({ state }) => state,
    ),
  })
  command('cleanup', {
    about: 'show what Drydock left behind, and remove it with --yes',
    more: 'It finds merged branches under drydock/ and unused temporary folders, and also does the work of `drydock gc`. It keeps a branch that is checked out, that a run still needs, or that alone holds some commits.',
    examples: [
      ['cleanup', 'show what would be removed'],
      ['cleanup --yes', 'remove it'],
      ['cleanup --unmerged', 'also show branches that alone hold some commits'],
    ],
    common: anywhere,
    own: [
      ['--yes', 'remove; without it, only show'],
      ['--unmerged', 'also branches that alone hold some commits'],
    ],
    action: late(
      () => import('../commands/tidy/cleanup.ts'),
      ({ cleanup }) => cleanup,
    ),
  })
  command('uninstall', {
    about: 'list what Drydock keeps on this machine, and remove its state with --yes',
    more: 'It lists the state of every repository, the keys, the caches and the temporary folders. It also names what you remove yourself: your configuration, branches, receipts and the program. Removing the state also removes all work that is not on a branch.',
    examples: [
      ['uninstall', 'only list it'],
      ['uninstall --yes', 'remove state, keys, caches and temporary folders'],
    ],
    common: anywhere,
    own: [['--yes', 'remove state, keys, caches and temporary folders; without it, only list them']],
    action: late(
      () => import('../commands/tidy/uninstall.ts'),
      ({ uninstall }) => uninstall,
    ),
  })
  command('completion <shell>', {
    about: 'print a completion script for bash, zsh or fish',
    more: 'The script knows the commands and options of this version. It calls `drydock completion ids` for the ids of recent runs and stories.',
    examples: [
      ['completion bash >> ~/.bashrc', 'for bash'],
      ['completion zsh >> ~/.zshrc', 'for zsh'],
      ['completion fish > ~/.config/fish/completions/drydock.fish', 'for fish, once that folder is there'],
    ],
    common: ['repo'],
    choices: { shell: ['bash', 'zsh', 'fish'] },
    action: late(
      () => import('./completion.ts'),
      ({ completionOf }) => completionOf(whole()),
    ),
  })
}

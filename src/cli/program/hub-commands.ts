import { Option } from 'commander'
import { roles } from '../../domain/hub/role.ts'
import { coders, groups } from './command-options.ts'
import { type Declare, late } from './declare-command.ts'

const { byHub, crew, ground } = groups

/** Declares the commands of a hub and its workers. */
export function hubCommands(command: Declare): void {
  command('hub [what] [action] [name]', {
    about: 'serve the dashboard and the API of a repository to a team, and do its work',
    more: 'People sign in with a personal token, or with the OpenID provider of hub.oidc. A viewer reads, an operator acts on runs, an admin also keeps tokens and sees the settings. Without TLS files or a proxy it listens only on this machine. docs/hub.md shows how to set one up.',
    examples: [
      ['hub', 'listen at 127.0.0.1:4517'],
      ['hub --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem', 'serve the network over TLS'],
      ['hub --behind-proxy https://hub.example.com', 'behind a proxy that speaks TLS'],
      ['hub token add ada --role operator --expires 90d', 'print a new token, once'],
      ['hub token list', 'show names, roles, and when each was last used'],
      ['hub token revoke ada', 'end a token or a person, with sessions and streams'],
      ['hub --coders 0', 'leave the work of stories to workers'],
      ['hub workers', 'show the machines that work for the hub'],
      ['hub worker-role drydock_worker', 'make a role of the database with the rights of a worker alone'],
      ['hub drain big-1a2b3c4d', 'end a worker in good order: its stories go on elsewhere'],
      ['hub login https://hub.example.com', 'on your own machine: keep your token for `--hub`'],
    ],
    choices: {
      what: ['token', 'workers', 'worker-role', 'drain', 'login', 'logout'],
      action: ['add', 'list', 'revoke'],
    },
    common: [...byHub, ...crew, ...ground, 'budgetUsd'],
    own: [
      ['--listen <host:port>', 'where to listen (default: 127.0.0.1:4517)'],
      ['--tls-cert <file>', 'certificate chain in PEM'],
      ['--tls-key <file>', 'its private key in PEM'],
      ['--behind-proxy <origin>', 'the https origin of the proxy in front of it'],
      ['--no-own', 'only show the work of other processes, and do none'],
      new Option('--coders <n>', 'tasks or stories that this machine works on at once; 0 for none').argParser(coders),
      new Option('--role <role>', 'with token add: what it allows').choices(roles),
      ['--expires <duration>', 'with token add: when it ends, such as 90d (default: never)'],
      ['--all', 'with drain: every worker'],
      ['--sql', 'with worker-role: print the statements for an administrator, and run none'],
      ['--new-password', 'with worker-role: also for a role that has a password'],
      ['--no-wait', 'with drain: do not wait until the worker has ended'],
    ],
    action: late(
      () => import('../commands/hub/hub.ts'),
      ({ hub }) => hub,
    ),
  })
  command('worker', {
    about: 'work on the stories of a hub, on this machine',
    more: 'The token is in DRYDOCK_HUB_TOKEN, the database of the hub in DRYDOCK_DATABASE_URL. Ctrl-C lets the steps under way end, keeps all work, and hands the stories over. docs/workers.md shows how to set one up.',
    examples: [
      ['worker --hub https://hub.example.com', 'work with the name of this machine'],
      ['worker --hub https://hub.example.com --name big --coders 4', 'work on up to four stories'],
      ['worker --hub https://hub.example.com --name big --drain', 'end it in good order: its stories go on elsewhere'],
    ],
    common: ['json', 'sandbox'],
    own: [
      ['--hub <url>', 'the address of the hub'],
      ['--name <name>', 'a name for this worker (default: that of the machine)'],
      new Option('--coders <n>', 'tasks or stories to work on at once (default: 3)').argParser(coders),
      ['--drain', 'end the worker of this machine that has this name, when its steps under way have ended'],
      ['--no-wait', 'with --drain: do not wait until it has ended'],
    ],
    action: late(
      () => import('../commands/worker.ts'),
      ({ worker }) => worker,
    ),
  })
}

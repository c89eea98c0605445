import { writeFile } from 'node:fs/promises'
import { attacks } from '../src/security/attacks.ts'
import { type RowName, rows } from '../src/security/rows.ts'

export const securityDoc = new URL('../docs/security.md', import.meta.url)

/** docs/security.md, made from the rows and the attacks on them. */
export function securityRows(): string {
  const names = Object.keys(rows) as RowName[]
  return [
    '# Security',
    '',
    'Made from `src/security` by `npm run docs`.',
    '',
    'There are two adversaries: a **hostile repository** (its files, its configuration, the texts in it) and a **hostile or confused model** (its calls, its code,',
    'its words). What they must not get: your keys and files, a write outside of the workspace, a green light that was not earned, the data of another story,',
    'the machine. A run that cannot be sandboxed does not run, and no flag turns the gate off.',
    '',
    '| | attack | what stops it |',
    '| --- | --- | --- |',
    ...names.map((name) => `| [${name}](#${name.replaceAll(' ', '-')}) | ${rows[name].attack} | ${rows[name].stops} |`),
    '',
    '`drydock doctor --security` tries all of the attacks below on your machine, with your git, your sandbox (`--sandbox podman` for another) and the Drydock that is',
    'installed, against a hostile repository that it makes in a temporary folder. It uses none of your keys, calls no model, needs no network and leaves nothing behind.',
    'It ends with 0 when all of them hold and with 3, as `verify` does for a FAIL, when one came through; `--json` prints one line an attack. An attack holds when',
    'what is observed is, word for word, what was expected; one that breaks off counts as one that came through. The same table is in `npm test`.',
    '',
    'Keys and tokens are taken out of all that Drydock writes, prints, serves, or sends to a model: by value (keys of models, variables named like secrets, the',
    'webhook’s address, what the installation signs with) and by shape (`src/domain/secret-shapes.ts`, and private key blocks). `[redacted by drydock]` stands there instead.',
    'Files change only by what an editor writes, and an edit that holds the marker is refused. So made-up keys of a repository, as in its tests, are hidden from agents and in',
    'printed diffs, too. What cannot be told: a key that was cut before its beginning. What stays as it is: the repository’s own files, `build/` of a verification, and',
    'files of more than 64 MiB that its steps have left.',
    ...names.flatMap((name) => ['', `## ${name}`, '', '| attack | expected |', '| --- | --- |', ...attacksOn(name)]),
    '',
  ].join('\n')
}

function attacksOn(name: RowName): readonly string[] {
  return attacks.filter(({ row }) => row === name).map(({ name: attack, expected }) => `| ${attack} | ${expected} |`)
}

if (import.meta.main) await writeFile(securityDoc, securityRows())

import { Dialog } from '../parts/dialog.tsx'

const keys = [
  ['j', 'the next item'],
  ['k', 'the item before'],
  ['Enter', 'open it, or comment on the line'],
  ['↑ ↓', 'from line to line of a diff, with Shift several'],
  ['] [', 'the next file of a diff, the file before'],
  ['n p', 'the next change in it, the change before'],
  ['c C', 'the next comment in it, the comment before'],
  ['Ctrl K', 'search, go anywhere, do what the page offers (⌘ K)'],
  ['g b', 'go to a page: g, then its letter, as in Ctrl K'],
  [', .', 'in the past: an event back, an event on'],
  ['/', 'filter the list'],
  ['r', 'reply to the first question'],
  ['Ctrl Enter', 'send what you have written'],
  ['Esc', 'close what is open'],
  ['?', 'this help'],
] as const

export function KeyHelp({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keyboard" close={close}>
      <dl className="facts">
        {keys.map(([key, about]) => (
          <div key={key} className="key-row">
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

import { lazyPart } from './lazy-part.tsx'

interface Props {
  readonly text: string
  /** It stands below the title of its page, and not in a part with a title of its own. */
  readonly isPage?: boolean
}

const Rendered = lazyPart(
  () => import('./markdown-rendered.tsx').then(({ MarkdownRendered }) => MarkdownRendered),
  ({ text }: Props) => <p className="preformatted">{text}</p>,
)

/** Text of a model or a person: sanitized, without images, since none may be fetched. */
export function Markdown({ text, isPage = false }: Props) {
  return (
    <div className="markdown">
      <Rendered text={text} isPage={isPage} />
    </div>
  )
}

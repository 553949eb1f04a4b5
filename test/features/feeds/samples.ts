/** One feed of each kind, with the same two entries, as its specification or vendor shows it. */

const item = (n: number, more = "") =>
  `<item><title>Entry ${n}</title><link>https://blog.example/${n}</link><description>&lt;p&gt;About &lt;b&gt;${n}&lt;/b&gt; &amp;amp; more&lt;/p&gt;</description>${more}</item>`;

const pubDate = (n: number) => `<pubDate>0${n} Dec 2026 10:00:00 GMT</pubDate>`;
const guid = (n: number) => `<guid isPermaLink="false">blog-${n}</guid>`;

export const rss = (...items: string[]): string =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Blog</title><link>https://blog.example/</link><description>A blog</description>${items.join("")}</channel></rss>`;

export const rssItem = (n: number, more = ""): string => item(n, guid(n) + pubDate(n) + more);

const atomEntry = (n: number, more = "") =>
  `<entry><id>tag:blog.example,2026:${n}</id><title>Entry ${n}</title><link rel="alternate" href="https://blog.example/${n}"/><updated>2026-12-0${n}T10:00:00Z</updated><summary type="html">&lt;p&gt;About &lt;b&gt;${n}&lt;/b&gt; &amp;amp; more&lt;/p&gt;</summary>${more}</entry>`;

const both = (one: (n: number) => string) => one(2) + one(1);

export const KINDS: [name: string, text: string][] = [
  ["RSS 2.0", rss(both((n) => rssItem(n)))],
  [
    "RSS 0.91",
    `<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><title>Blog</title><link>https://blog.example/</link><description>A blog</description><language>en</language>${both((n) => item(n))}</channel></rss>`,
  ],
  [
    "RSS 0.92",
    `<rss version="0.92"><channel><title>Blog</title><link>https://blog.example/</link><description>A blog</description>${both((n) => item(n, `<category>news</category>`))}</channel></rss>`,
  ],
  [
    "RSS 1.0",
    `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="https://blog.example/feed"><title>Blog</title><link>https://blog.example/</link><description>A blog</description></channel>${both((n) => item(n, `<dc:date>2026-12-0${n}T10:00:00Z</dc:date>`).replace("<item>", `<item rdf:about="https://blog.example/${n}">`))}</rdf:RDF>`,
  ],
  [
    "Atom 1.0",
    `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><id>tag:blog.example,2026:feed</id><updated>2026-12-02T10:00:00Z</updated>${both((n) => atomEntry(n))}</feed>`,
  ],
  [
    "Atom 0.3",
    `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Blog</title>${both((n) => `<entry><id>tag:${n}</id><title>Entry ${n}</title><link rel="alternate" type="text/html" href="https://blog.example/${n}"/><issued>2026-12-0${n}T10:00:00Z</issued><modified>2026-12-0${n}T10:00:00Z</modified><summary type="text/html" mode="escaped">&lt;p&gt;About &lt;b&gt;${n}&lt;/b&gt; &amp;amp; more&lt;/p&gt;</summary></entry>`)}</feed>`,
  ],
  [
    "YouTube",
    `<?xml version="1.0" encoding="UTF-8"?><feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom"><id>yt:channel:abc</id><yt:channelId>abc</yt:channelId><title>Blog</title>${both((n) => `<entry><id>yt:video:v${n}</id><yt:videoId>v${n}</yt:videoId><title>Entry ${n}</title><link rel="alternate" href="https://blog.example/${n}"/><author><name>Ada</name></author><published>2026-12-0${n}T10:00:00+00:00</published><media:group><media:title>Entry ${n}</media:title><media:thumbnail url="https://i.ytimg.com/vi/v${n}/hqdefault.jpg" width="480" height="360"/><media:description>About ${n} &amp; more</media:description></media:group></entry>`)}</feed>`,
  ],
  [
    "JSON Feed",
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Blog",
      items: [2, 1].map((n) => ({
        id: String(n),
        url: `https://blog.example/${n}`,
        title: `Entry ${n}`,
        content_html: `<p>About <b>${n}</b> &amp; more</p>`,
        date_published: `2026-12-0${n}T10:00:00Z`,
      })),
    }),
  ],
  [
    "a podcast",
    rss(
      both((n) =>
        rssItem(
          n,
          `<enclosure url="https://blog.example/${n}.mp3" length="1" type="audio/mpeg"/><itunes:duration>10:00</itunes:duration>`,
        ),
      ),
    ),
  ],
  [
    "Media RSS",
    rss(
      both((n) =>
        rssItem(n, `<media:content url="https://blog.example/${n}.jpg" medium="image"/>`),
      ),
    ),
  ],
];

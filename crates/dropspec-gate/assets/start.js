// Starts Scalar on the page. Whatever would leave this server is switched off here, and
// forbidden by the Content-Security-Policy of the page besides.
const base = location.pathname.replace(/\/docs$/, "");
Scalar.createApiReference("#app", {
  // The button for a download links here. The page itself draws the annotated document.
  url: base + "/openapi.json",
  documentDownloadType: "direct",
  customFetch: (target, options) => fetch(target === base + "/openapi.json" ? base + "/docs/openapi.json" : target, options),
  // Requests go to where the page came from.
  baseServerURL: location.origin,
  authentication: { preferredSecurityScheme: "ApiKey" },
  // A key that was typed in is forgotten with the page.
  persistAuth: false,
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  // As the author of the document wrote them: what matters first is first.
  orderSchemaPropertiesBy: "preserve",
  // The outline that the server sent is of use until Scalar has drawn the document.
  onLoaded: () => document.getElementById("outline")?.remove(),
  customCss: `
    /* The list of operations in the try-out panel would lead around x-hideTryItPanel. */
    [role=dialog] .scalar-sidebar-toggle, [role=dialog] aside { display: none !important; }
    /* Colors of texts with a contrast of at least 4.5 to 1 on all backgrounds (WCAG 2, 1.4.3). */
    .light-mode.light-mode {
      --scalar-color-2: #616161; --scalar-color-3: #6b6b6b;
      --scalar-color-green: #067647; --scalar-color-orange: #b03a0c; --scalar-color-red: #c01018; --scalar-color-yellow: #855d00;
    }
    .dark-mode.dark-mode { --scalar-color-3: #9a9a9a; --scalar-color-red: #ff6b70; }
    /* Codes and statuses in tables are not cut; on a narrow screen they take no more space than they need. */
    .markdown th, .markdown td:not(:last-child), .markdown td:not(:last-child) code { white-space: nowrap !important; }
    @media (max-width: 600px) { .markdown.markdown :is(th, td) { padding: 0.3rem !important; } }
    /* A default is a value, and long ones are cut. */
    .property-default-label span { display: block; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }`,
});

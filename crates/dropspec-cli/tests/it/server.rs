//! A server on loopback that answers some requests, under a base URL.

use test_network::response;

pub struct Server {
    pub url: String,
    server: test_network::Server,
}

impl Server {
    /// Answers one request with this status, media type and body.
    pub fn start(status: &str, media_type: &str, body: &str) -> Server {
        let head = format!("{status}\r\ncontent-type: {media_type}");
        Server::start_all(&[(&head, body)])
    }

    /// Answers one request with each of these responses: status with headers, and body. An empty response is none: the
    /// connection is closed.
    pub fn start_all(responses: &[(&str, &str)]) -> Server {
        let answers = responses.iter().map(|(head, body)| match *head {
            "" => Vec::new(),
            head => response(head, body),
        });
        let server = test_network::Server::start_all(answers);
        let url = server.url() + "/base";
        Server { url, server }
    }

    /// The text of the only request that came.
    pub fn request(self) -> String {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.concat()
    }

    /// The texts of all requests.
    pub fn requests(self) -> Vec<String> {
        let requests = self.server.requests();
        requests.iter().map(|request| request.text()).collect()
    }
}
